import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyString } from '#domain/keys/key-string.js';
import { keptLog } from '#test/support/reading/kept-log.js';
import { LatchkeyError } from '#domain/errors.js';
import { deny } from '#domain/keys/verdict.js';
import { Log } from './log.js';
import { StandardOutput } from './standard-output.js';
import { SlowValidations } from './validation-times.js';
import { Tally } from './instrument.js';
import { ChangeTimes } from './request-times.js';

describe('the log', () => {
  const written = (level: string, write: (log: Log) => void) => {
    const lines: string[] = [];
    write(new Log(level, { write: (line) => void lines.push(line) }));
    return lines;
  };
  const key = KeyString.generate('lk').reveal();
  const secret = key.slice(key.indexOf('.') + 1, -1);

  test('masks a key anywhere in a line', () => {
    const lines = written('debug', (log) => {
      log.debug(`called with ${key}`);
      log.info('request', { path: `/v1/${key}`, nested: { header: [`Bearer ${key}`] } });
      log.warn('unavailable', { [key]: 1 });
      log.error('x', { cause: `"${key.replace('.', '%2e')}"\n${key.toUpperCase()}` });
      log.fault(new Error(key));
    });
    expect(lines.length).toBe(5);
    expect(lines.filter((line) => line.toLowerCase().includes(secret.slice(0, 16)))).toEqual([]);
    // Each entry is still one line.
    expect(lines.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([20, 30, 40, 50, 50]);
    expect(lines[1]).toContain(key.slice(0, 27));
  });

  test('writes one line for each event and changes nothing else', () => {
    const [line, ...more] = written('info', (log) => {
      log.debug('not at this level');
      log.info('two\nlines', { id: 'a'.repeat(80), digest: 'f'.repeat(64) });
    });
    expect(more).toEqual([]);
    expect(JSON.parse(line!)).toMatchObject({ msg: 'two\nlines', id: 'a'.repeat(80), digest: 'f'.repeat(64) });
    expect(line!.split('\n')).toEqual([expect.any(String), '']);
  });
});

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

describe('a slow validation', () => {
  const client = { ip: '192.0.2.1', userAgent: null, requestId: 'request-1' };
  const ENDED = {
    request: { client, service: 'billing' },
    verdict: deny('revoked'),
    error: undefined,
    batch: 60.04,
    postgresql: 30,
    limits: 0,
    record: 20,
    leaseUses: 0,
  };

  let nowMs: number;
  let log: ReturnType<typeof keptLog>;
  let slow: SlowValidations;
  beforeEach(() => {
    nowMs = 5000;
    log = keptLog();
    slow = new SlowValidations(log.log, 100, () => nowMs);
  });

  it('takes longer than the threshold; with a threshold of 0 no validation is slow', () => {
    expect([99, 100, 100.1].map((ms) => slow.isSlow(ms))).toEqual([false, false, true]);
    expect(new SlowValidations(log.log, 0).isSlow(60_000)).toBe(false);
  });

  it('is logged in one line with its request, service, outcome and parts', () => {
    slow.note(ENDED, 110.26);
    expect(log.entries).toEqual([
      {
        level: 40,
        time: expect.any(String),
        msg: 'slow validation',
        requestId: 'request-1',
        service: 'billing',
        outcome: 'denied',
        reason: 'revoked',
        totalMs: 110.3,
        batchMs: 60,
        postgresqlMs: 30,
        limitsMs: 0,
        recordMs: 20,
        restMs: 0.2,
      },
    ]);
  });

  it('is logged with the uses of the lease that was given with it', () => {
    slow.note({ ...ENDED, leaseUses: 7 }, 150);
    expect(log.entries).toMatchObject([{ leaseUses: 7 }]);
  });

  it('is logged with the message of the store if it failed', () => {
    const error = new LatchkeyError('unavailable', 'try again', {}, { cause: new Error('no answer within 120 ms') });
    slow.note({ ...ENDED, verdict: undefined, error }, 150);
    slow.note({ ...ENDED, verdict: undefined, error: new LatchkeyError('busy', 'too much to do') }, 150);
    expect(log.entries).toMatchObject([
      { outcome: 'failed', failure: 'no answer within 120 ms' },
      { outcome: 'failed', failure: 'LatchkeyError: too much to do' },
    ]);
  });

  it('is logged at most ten times a second, with the number of dropped lines', () => {
    for (let n = 0; n < 13; n += 1) slow.note(ENDED, 150);
    expect(log.entries.map((entry) => entry['dropped'])).toEqual(new Array(10).fill(undefined));
    nowMs += 999;
    slow.note(ENDED, 150);
    nowMs += 1;
    slow.note(ENDED, 150);
    slow.note(ENDED, 150);
    expect(log.entries.map((entry) => entry['dropped'])).toEqual([...new Array(10).fill(undefined), 4, undefined]);
  });
});

const BOUNDS = [0.001, 0.01, 0.1, 1];

describe('a tally', () => {
  test('counts the values at or below each bound', () => {
    const value = fc.oneof(fc.constantFrom(...BOUNDS, 0), fc.double({ min: 0, max: 10, noNaN: true }));
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const tally = new Tally(BOUNDS);
        for (const one of values) tally.observe(one);
        const expected = BOUNDS.map((bound) => [String(bound), values.filter((one) => one <= bound).length]);
        expect(tally.cumulative()).toEqual([...expected, ['+Inf', values.length]]);
        expect(tally.sum).toBeCloseTo(values.reduce((sum, one) => sum + one, 0));
        expect(tally.count).toBe(values.length);
      }),
    );
  });

  test('counts the seconds since an earlier time', () => {
    const tally = new Tally();
    tally.observeSince(performance.now() - 2000);
    expect(tally.sum).toBeGreaterThanOrEqual(2);
    expect(tally.sum).toBeLessThan(3);
  });
});

test('the times that calls waited for leases are counted and added up', () => {
  const times = new ChangeTimes();
  times.waited(550);
  times.waited(551);
  const { values } = times.instruments()[0]!.get();
  const valueOf = (name: string) => values.find(({ metricName }) => metricName === name)?.value;
  expect(valueOf('latchkey_change_wait_seconds_count')).toBe(2);
  expect(valueOf('latchkey_change_wait_seconds_sum')).toBeCloseTo(1.101);
});
