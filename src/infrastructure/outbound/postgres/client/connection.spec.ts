import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { eventually } from '#test/support/eventually.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { SlowLine } from '#test/support/stores/slow-line.js';
import { sql } from '#test/support/stores/sql.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { keptLog } from '#test/support/reading/kept-log.js';
import { LatchkeyError } from '#domain/errors.js';
import { createDataSource } from '../schema.js';
import { Database } from './database.js';
import { CrowdReader } from './crowd-reader.js';
import { PostgresOutage, unavailable } from './errors.js';
import { HostWatch, type Sighting } from './host-watch.js';

describe('a connection', () => {
  let owned: Awaited<ReturnType<typeof createDatabase>>;
  let line: SlowLine;
  let database: Database;
  beforeAll(async () => {
    owned = await createDatabase();
    line = await SlowLine.to(owned.url);
    await sql(owned.url, 'CREATE TABLE written (what text)');
    const limits = { answerTimeoutMs: 100 };
    const primary = primaryAt(line.instead(owned.url));
    database = new Database(await createDataSource(primary, limits).initialize());
  });
  afterAll(async () => {
    await database.close();
    line.close();
    await owned.drop();
  });

  const write = (what: string) => (manager: EntityManager) => manager.query('INSERT INTO written VALUES ($1)', [what]);

  test('a later call does not commit any part of a transaction that timed out', async () => {
    const givenUp = database.transaction(async (manager) => {
      await write('half of it')(manager);
      line.hold('requests');
      await write('the other half')(manager);
    });
    await expect(givenUp).rejects.toMatchObject({ code: 'unavailable' });
    line.release();
    await database.run(write('the next call'));
    await database.transaction(write('the last call'));
    expect(await sql(owned.url, 'SELECT what FROM written')).toEqual([
      { what: 'the next call' },
      { what: 'the last call' },
    ]);
  });

  /** The state of a TCP connection as Linux lists it: 02 in the column of the timer is the keepalive of TCP. */
  const timersTo = (port: number) =>
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((row) => row.trim().split(/\s+/))
      .filter(([, , remote, state]) => Number.parseInt(remote?.split(':')[1] ?? '', 16) === port && state === '01')
      .map((columns) => columns[5]!.split(':', 1)[0]);

  test('its idle connections are kept alive, so that nothing between forgets them', async () => {
    await database.run(write('over one of them'));
    const port = Number(new URL(line.instead(owned.url)).port);
    expect(
      await eventually(async () => timersTo(port).length > 0 && timersTo(port).every((timer) => timer === '02')),
    ).toBe(true);
  });

  test('of a watch is closed if its login fails on our side', async () => {
    const own = await SlowLine.to(owned.url);
    const url = new URL(own.instead(owned.url));
    url.password = '';
    const seen: Sighting[] = [];
    const watch = new HostWatch(url.href, (sighting) => seen.push(sighting));
    watch.start();
    await eventually(async () => seen.length >= 4);
    const open = timersTo(Number(url.port)).length;
    watch.stop();
    own.close();
    // The fifth look may be under way.
    expect(open).toBeLessThan(2);
    expect(seen[0]).toEqual({ why: expect.stringContaining('password') });
  });
});

describe('CrowdReader', () => {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** Reads that end when the test ends them. */
  function heldReads() {
    const sent: { keys: readonly string[]; answer(): Promise<void>; fail(error: Error): Promise<void> }[] = [];
    const reader = new CrowdReader<string>(
      'test',
      (keys) =>
        new Promise((resolve, reject) => {
          sent.push({
            keys,
            answer: () => {
              resolve(new Map(keys.filter((one) => one !== 'nobody').map((one) => [one, one.toUpperCase()])));
              return turn();
            },
            fail: (error) => {
              reject(error);
              return turn();
            },
          });
        }),
    );
    return { reader, sent };
  }

  test('runs one read at a time, so that a later call waits for two reads at most', async () => {
    const { reader, sent } = heldReads();
    const answers: (string | undefined)[] = [];
    const read = (one: string) => void reader.read(one).then((answer) => answers.push(answer));
    read('ada');
    await turn();
    for (const one of ['nobody', 'grace', 'grace', 'nobody']) read(one);
    await turn();
    expect(sent.map(({ keys }) => keys)).toEqual([['ada']]);
    await sent[0]!.answer();
    expect(answers).toEqual(['ADA']);
    expect(sent.map(({ keys }) => keys)).toEqual([['ada'], ['nobody', 'grace']]);
    await sent[1]!.answer();
    expect(answers).toEqual(['ADA', undefined, 'GRACE', 'GRACE', undefined]);
  });

  test('never answers a call with a read that was sent before it', async () => {
    const { reader, sent } = heldReads();
    const [first] = [reader.read('ada'), await turn()];
    const second = reader.read('ada');
    await turn();
    await sent[0]!.answer();
    expect([await first, sent.length]).toEqual(['ADA', 2]);
    await sent[1]!.answer();
    expect(await second).toBe('ADA');
  });

  test('fails all calls of a failed read, and runs the next read', async () => {
    const { reader, sent } = heldReads();
    const failed = ['ada', 'grace'].map((one) => reader.read(one).catch((error: Error) => error.message));
    await turn();
    await sent[0]!.fail(new Error('away'));
    expect(await Promise.all(failed)).toEqual(['away', 'away']);
    const next = reader.read('ada');
    await turn();
    await sent[1]!.answer();
    expect(await next).toBe('ADA');
  });
});

describe('an outage of PostgreSQL', () => {
  type Pool = Parameters<PostgresOutage['failed']>[0];

  let kept: ReturnType<typeof keptLog>;
  let outage: PostgresOutage;
  beforeEach(() => {
    jest.useFakeTimers();
    kept = keptLog('debug');
    outage = new PostgresOutage(kept.log);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const answers = (pool: Pool) => outage.answered(pool);
  const fails = (pool: Pool, error: unknown) => expect(outage.failed(pool, error)).toBe(error);
  const refused = () => unavailable(new Error('connect ECONNREFUSED'));
  const logged = () => kept.entries.map(({ msg }) => msg.split(':')[0]);
  const AWAY = 'PostgreSQL is away';
  const BACK = 'PostgreSQL is back';

  test('is logged once with its first pool and cause, and once when it is over', () => {
    for (const pool of ['audit', 'validation', 'management', 'validation'] as const) fails(pool, refused());
    jest.advanceTimersByTime(1000);
    answers('validation');
    answers('management');
    expect(logged()).toEqual([AWAY, BACK]);
    expect(kept.entries[0]).toMatchObject({ level: 40, pool: 'audit', reason: 'connect ECONNREFUSED' });
    expect(kept.entries[1]).toMatchObject({ level: 30, awayMs: 1000 });
  });

  test('does not end with each answer of a pool that fails now and then', () => {
    for (let second = 0; second < 10; second += 1) {
      fails('management', refused());
      jest.advanceTimersByTime(999);
      answers('management');
    }
    expect(logged()).toEqual([AWAY]);
  });

  test('does not end for one pool because another answers', async () => {
    fails('audit', unavailable(Object.assign(new Error('read-only'), { code: '25006' })));
    jest.advanceTimersByTime(60_000);
    answers('validation');
    answers('management');
    expect(logged()).toEqual([AWAY]);
    answers('audit');
    expect(logged()).toEqual([AWAY, BACK]);
  });

  test.each([
    ['is rolled back for another call', unavailable({ driverError: { code: '40P01' } })],
    ['waits too long for a lock', unavailable({ driverError: { code: '55P03' } })],
    ['runs too slow a statement', unavailable({ code: '57014' })],
    ['is frozen in a transaction', unavailable({ driverError: { code: '25P03' } })],
    ['is not allowed', new LatchkeyError('forbidden', 'no')],
    ['has a fault of our own', new Error('syntax error')],
  ])('does not start when a call %s', async (_what, error) => {
    fails('management', error);
    expect(logged()).toEqual([]);
  });

  test('logs its errors only at debug, because its own line reports them', async () => {
    const [first, second] = [refused(), refused()];
    fails('validation', first);
    fails('validation', second);
    for (const error of [first, second]) kept.log.fault(error, { requestId: 'r' });
    expect(kept.entries.map(({ msg, level }) => [msg.split(':')[0], level])).toEqual([
      [AWAY, 40],
      ['refused', 20],
      ['refused', 20],
    ]);
  });
});
