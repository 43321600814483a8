import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, type Guard } from '@latchkey/guard';
import { createSystemsApi } from '../../examples/systems-api/src/systems-api.js';
import { snippet } from '../../scripts/lib/welcome.mjs';
import { type Service, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('the snippet that npm start prints', () => {
  let service: Service;
  let guard: Guard;
  let systems: Server;
  beforeAll(async () => {
    service = await startService();
    guard = createGuard({ target: service.grpcTarget, serviceToken: 'dev-validator-token', deadlineMs: 30_000 });
    systems = createSystemsApi(guard).listen(0, '127.0.0.1');
    await once(systems, 'listening');
  });
  afterAll(async () => {
    systems?.close();
    guard?.close();
    await service?.stop();
  });

  const pasted = (shell: string, urls: Parameters<typeof snippet>[0]) =>
    new Promise<string>((resolve) => {
      const child = execFile(shell, (_, stdout, stderr) => resolve(stdout + stderr));
      child.stdin!.end(`${snippet(urls)}\n`);
    });
  const urls = () => ({
    latchkey: service.url,
    systemsApi: `http://127.0.0.1:${(systems.address() as AddressInfo).port}`,
  });

  test.each(['sh', 'bash'])('pasted into %s creates a key, uses it, revokes it and is refused', async (shell) => {
    const [granted, refused, ...more] = (await pasted(shell, urls())).split('\n');
    expect(granted).toMatch(/^\{"items":\[.*\]\} \(200\)$/);
    expect([refused, more]).toEqual(['{"message":"invalid api key"} (401)', ['']]);
    const keys = await sql<{ ended: boolean }>(
      service.databaseUrl,
      `SELECT revoked_at IS NOT NULL AS ended FROM api_keys WHERE name = 'try it'`,
    );
    expect(keys.every(({ ended }) => ended)).toBe(true);
  });

  test.each<[string, Partial<Parameters<typeof snippet>[0]>]>([
    ['Latchkey', { latchkey: 'http://127.0.0.1:1' }],
    ['the service', { systemsApi: 'http://127.0.0.1:1' }],
  ])('stops at the first step that fails and says so, such as when %s does not answer', async (_who, wrong) => {
    expect(await pasted('sh', { ...urls(), ...wrong })).toMatch(
      /curl: .*\nA step failed: the lines above say which\.\n$/,
    );
  });
});
