import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createGuard, type Guard } from '@latchkey/guard';
import { createSystemsApi } from '../../examples/systems-api/src/systems-api.js';
import { snippet } from '../../scripts/snippet.mjs';
import { type Service, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

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

describe('the log of npm start', () => {
  const LINES = [
    {
      level: 30,
      time: '2026-11-23T10:00:00.000Z',
      version: '1.2.3',
      node: 'v24.0.0',
      KEY_PREFIX: 'lk',
      msg: 'starting',
    },
    { level: 30, method: 'GET', path: '/livez', status: 200, latencyMs: 1.5, msg: 'request' },
    { level: 30, method: 'GET', path: '/settings/assets/index.js', status: 200, latencyMs: 1.5, msg: 'request' },
    { level: 30, method: 'GET', path: '/settings/assets/index.js', status: 404, latencyMs: 1.5, msg: 'request' },
    { level: 40, cause: 'connect ECONNREFUSED', msg: 'unavailable' },
    { level: 30, reason: 'SIGTERM', pid: 7, msg: 'stopping' },
    { level: 60, reason: 'internal error', stack: 'Error: no\n    at here', pid: 7, msg: 'stopping' },
  ];
  const OTHER_LINES = [
    { level: 30, msg: 'of the other part' },
    { level: 50, msg: 'its end, without a line break' },
  ];
  const textOf = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join('\n');
  /** The lines of two parts come through their pipes at the same time, in pieces. */
  const script = `
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { readableLog } from ${JSON.stringify(join(root, 'scripts/lib/readable-log.mjs'))};
const print = await readableLog();
console.log(print ? 'readable' : 'as it is');
const parts = ${JSON.stringify([LINES, OTHER_LINES].map(textOf))}.map((text) => ({ text, pipe: new PassThrough() }));
for (const { pipe } of parts) print?.(pipe);
for (let at = 0; at < parts[0].text.length; at += 20) {
  for (const { text, pipe } of parts) {
    pipe.write(text.slice(at, at + 20));
    await turn();
  }
}
for (const { pipe } of parts) pipe.end();`;
  const command = [process.execPath, '--input-type=module', '-e', script];
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };

  /** util-linux's `script` runs a command on a terminal of its own. */
  const onTerminal = (more: NodeJS.ProcessEnv = {}) =>
    run('script', ['-qec', command.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(' '), '/dev/null'], {
      env: { ...env, NODE_ENV: 'test', ...more },
    });

  it('is readable on a terminal: one line for each event of each part, without what is for machines', async () => {
    const { output } = await onTerminal();
    const [kind, ...lines] = output.trim().split(/\r?\n/);
    expect(kind).toBe('readable');
    const ofOther = [
      expect.stringMatching(/INFO: of the other part$/),
      expect.stringMatching(/ERROR: its end, without/),
    ];
    expect(lines.filter((line) => /other part|its end/.test(line))).toEqual(ofOther);
    expect(lines.filter((line) => !/other part|its end/.test(line))).toEqual([
      expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: Latchkey 1\.2\.3 starts on Node\.js v24\.0\.0$/),
      expect.stringMatching(/INFO: GET \/livez → 200 in 1\.5 ms$/),
      expect.stringMatching(/INFO: GET \/settings\/assets\/index.js → 404 in 1\.5 ms$/),
      expect.stringMatching(/WARN: unavailable {2}cause=connect ECONNREFUSED$/),
      expect.stringMatching(/INFO: Latchkey stops$/),
      expect.stringMatching(/FATAL: Latchkey ends because of an internal error: Error: no$/),
      '    at here',
    ]);
  });

  it('stays JSON where no person watches: without a terminal, and in production', async () => {
    expect((await run(command[0]!, command.slice(1), { env })).output).toBe('as it is\n');
    expect((await onTerminal({ NODE_ENV: 'production' })).output.trim()).toBe('as it is');
  });
});
