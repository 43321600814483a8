import { spawn } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { snippetOf } from '../support/reading/pages.js';
import { CALL_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import { startService, type Service } from '../support/processes/service.js';

describe('the client for any language in docs/api.md', () => {
  let service: Service;
  let ownerId: string;
  let fullKey: string;
  let folder: string;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' });
    const owner = await newOwner(service);
    ownerId = owner.id;
    fullKey = (await owner.person.newKey()).fullKey;
    folder = mkdtempSync(join(tmpdir(), 'any-language-'));
    for (const name of ['node_modules', 'proto']) symlinkSync(join(root, name), join(folder, name));
  });
  afterAll(() => service.stop());

  /** The program's output for a client with that key. */
  async function output(apiKey: string, target = service.grpcTarget): Promise<string> {
    const code = snippetOf('docs/api.md', 'ValidateKey', 'js');
    expect(code).toContain('127.0.0.1:50051');
    expect(code).toContain('Date.now() + 200');
    const withLongTimeout = code.replace('Date.now() + 200', `Date.now() + ${CALL_TIMEOUT_MS}`);
    writeFileSync(join(folder, 'client.mjs'), withLongTimeout.replace('127.0.0.1:50051', target));
    const env = { ...process.env, LATCHKEY_SERVICE_TOKEN: 'dev-validator-token', AUTHORIZATION: `Bearer ${apiKey}` };
    const child = spawn(process.execPath, ['client.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    return (await text(child.stdout)).trim();
  }

  test('prints the owner of a good key, 401 for an unknown key, and 503 without Latchkey', async () => {
    expect(await output(fullKey)).toBe(`200 ${ownerId}`);
    expect(await output(unknownKey())).toBe('401 invalid api key');
    expect(await output(fullKey, `127.0.0.1:${await freePort()}`)).toBe('503');
  });
});
