import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { requireCompatible } from '../../scripts/proto-baseline.mjs';

describe('the contract beside the one last released', () => {
  let proto: string;
  beforeEach(() => {
    proto = mkdtempSync(join(tmpdir(), 'proto-'));
    cpSync(join(root, 'proto'), proto, { recursive: true });
  });
  afterEach(() => rmSync(proto, { recursive: true, force: true }));

  /** @param part must be in the file: a planted change that changes nothing would prove nothing */
  function plant(file: string, part: string | RegExp, replacement: string) {
    const path = join(proto, 'latchkey/v1', file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(part, replacement);
    expect(after).not.toBe(before);
    writeFileSync(path, after);
  }

  it('is compatible as it stands', () => requireCompatible());

  it.each<[string, string, RegExp, string, RegExp]>([
    ['a field removed', 'api_key_service.proto', /\n  string client_ip = 6;/, '', /"6" with name "client_ip"/],
    ['a field renumbered', 'api_key_service.proto', /string client_ip = 6;/, 'string client_ip = 8;', /"6"/],
    ['a field of another type', 'api_key_service.proto', /string client_ip = 6;/, 'bytes client_ip = 6;', /type/],
    ['a field renamed', 'account_service.proto', /display_name/g, 'full_name', /"display_name" to "full_name"/],
    ['an enum value removed', 'api_key_service.proto', /\n\s*REASON_EXPIRED = 3;/, '', /value "3" on enum "Reason"/],
    ['a call removed', 'account_service.proto', /\n  rpc DeleteAccount[^\n]*/, '', /"DeleteAccount"/],
  ])('breaks with %s, which is named', async (_, file, part, replacement, told) => {
    plant(file, part, replacement);
    const refusal = requireCompatible(proto);
    await expect(refusal).rejects.toThrow(told);
    await expect(refusal).rejects.toThrow('Released clients would break: add fields, never change them.');
  });

  it('may grow', async () => {
    plant('api_key_service.proto', /string client_ip = 6;/, 'string client_ip = 6;\n  string client_port = 99;');
    await requireCompatible(proto);
  });
});
