import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OwnPostgres } from '#test/faults/own-postgres.js';
import { eventually } from '#test/support/eventually.js';
import { SILENT } from '#test/support/reading/kept-log.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { PostgresKeyReader } from '../keys/key-reader.js';
import { createDataSource } from '../schema.js';
import { Database } from './database.js';
import { openDatabase } from '../open-database.js';
import { Primary } from './primary.js';
import type { SessionSource } from './data-source.js';

const NOBODYS_KEY = '0'.repeat(24);

describe('a primary among several hosts', () => {
  let first: OwnPostgres;
  let second: OwnPostgres;
  const primaries: Primary[] = [];
  let primary: Primary;
  let source: SessionSource;
  let reader: PostgresKeyReader;

  const startedOn = (...urls: string[]) => {
    const started = primaryAt(urls);
    primaries.push(started);
    return started;
  };
  const portOf = (url: string) => new URL(url).port;
  /** The port of the server that the pool reaches. */
  const portReached = async () => {
    const [row] = await new Database(source).run((manager) =>
      manager.query<{ port: string }[]>(`SELECT current_setting('port') AS port`),
    );
    return row!.port;
  };
  const isAnswered = () => reader.read(NOBODYS_KEY).then(Boolean, () => false);

  beforeAll(async () => {
    first = await OwnPostgres.start();
    second = await first.startStandby('second');
    primary = startedOn(second.url, first.url);
    source = await openDatabase(primary, 'lk');
    reader = new PostgresKeyReader(primary);
    await reader.open();
  }, 60_000);
  afterAll(async () => {
    await reader.close();
    await source.destroy();
    await Promise.all(primaries.map((each) => each.close()));
    await first.remove();
    await second.remove();
  });

  test('is the one that accepts writes, in any place of the list', async () => {
    expect(portOf(primary.url)).toBe(portOf(first.url));
    expect(await portReached()).toBe(portOf(first.url));
    const other = startedOn(first.url, second.url);
    await other.open();
    expect(portOf(other.url)).toBe(portOf(first.url));
  });

  test('is the one on the higher timeline, and connections to the other are dropped', async () => {
    expect(await isAnswered()).toBe(true);
    const ended: string[] = [];
    primary.hold({ timeline: undefined, drop: () => void ended.push('still opening') });
    await second.promote();
    await eventually(async () => portOf(primary.url) === portOf(second.url));
    expect(ended).toEqual(['still opening']);
    expect(await portReached()).toBe(portOf(second.url));
    await eventually(isAnswered);
    const left = new Database(await createDataSource(primaryAt(first.url)).initialize());
    await eventually(async () => {
      const [row] = await left.run((manager) =>
        manager.query<{ open: number }[]>(
          `SELECT count(*)::integer AS open FROM pg_stat_activity
           WHERE application_name = ANY ('{latchkey validation,latchkey audit}')`,
        ),
      );
      return row!.open === 0;
    });
    await left.close();
  });

  test('is not a replaced server, even if no other answers', async () => {
    await second.stop();
    expect(await isAnswered()).toBe(false);
    expect(portOf(primary.url)).toBe(portOf(second.url));
    await second.startAgain();
    await eventually(isAnswered);
  });

  test('is reported as missing at startup, with a reason for each host', async () => {
    await first.stop();
    second.becomeStandby();
    await second.stop();
    await second.startAgain();
    const why = new RegExp(
      `^none of its hosts is a primary \\(.*${portOf(first.url)}: connect ECONNREFUSED.*; .*${portOf(second.url)}: it is in recovery\\)$`,
    );
    const { config } = primaryAt([first.url, second.url]);
    await expect(new Primary(config, SILENT, 1000).open()).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: expect.stringMatching(why) },
    });
  }, 60_000);
});

test('refuses a server on a lower timeline than the highest seen', () => {
  const primary = primaryAt('postgres://127.0.0.1/keys');
  primary.admit(7);
  primary.admit(7);
  expect(() => primary.admit(6)).toThrow(expect.objectContaining({ code: 'unavailable' }));
});

test('drops only connections on a lower timeline once a higher one is seen', () => {
  const primary = primaryAt('postgres://127.0.0.1/keys');
  const dropped: string[] = [];
  const line = (name: string, timeline: number | undefined) => ({
    timeline,
    drop: () => void dropped.push(name),
  });
  primary.hold(line('old', 3));
  primary.hold(line('not known yet', undefined));
  primary.hold(line('new', 4));
  primary.hold(line('closed', 3))();
  primary.admit(4);
  expect(dropped).toEqual(['old']);
});
