import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { StandardOutput } from './standard-output.js';

describe('the log on standard output', () => {
  test('drops lines that a full disk does not take, and says how many once it takes some again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    const [full, file] = [openSync('/dev/full', 'w'), openSync(join(folder, 'log'), 'w')];
    const output = new StandardOutput(full);
    for (const line of ['one', 'two', 'three']) output.write(`${line}\n`);
    // The disk has room again.
    Object.assign(output, { fd: file });
    for (const line of ['four', 'five']) output.write(`${line}\n`);
    const lines = readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean);
    expect([JSON.parse(lines[0]!), ...lines.slice(1)]).toEqual([
      { level: 40, time: expect.any(String), dropped: 3, msg: 'log lines were dropped' },
      'four',
      'five',
    ]);
    for (const opened of [full, file]) closeSync(opened);
    rmSync(folder, { recursive: true });
  });

  test('waits for a reader that is only slow, and loses no line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    const file = join(folder, 'log');
    // A pipe holds a fifth of it.
    const reader = spawn('sh', ['-c', `sleep 0.2; cat > ${file}`], { stdio: ['pipe', 'ignore', 'inherit'] });
    const { fd } = (reader.stdin as unknown as { _handle: { fd: number } })._handle;
    const output = new StandardOutput(fd, 60_000);
    const line = `${'x'.repeat(99)}\n`;
    for (let count = 0; count < 3000; count += 1) output.write(line);
    reader.stdin.end();
    await once(reader, 'close');
    expect(readFileSync(file, 'utf8')).toBe(line.repeat(3000));
    rmSync(folder, { recursive: true });
  });
});
