import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

const LINES = [
  { level: 30, time: '2026-11-23T10:00:00.000Z', version: '1.2.3', node: 'v24.0.0', KEY_PREFIX: 'lk', msg: 'starting' },
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

describe('the log of npm start', () => {
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
