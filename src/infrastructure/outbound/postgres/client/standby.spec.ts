import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OwnPostgres } from '#test/faults/own-postgres.js';
import { type Application, client, newOwner, openOver } from '#test/support/application/application.js';
import { eventually } from '#test/support/eventually.js';
import { keptLog } from '#test/support/reading/kept-log.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { sql } from '#test/support/stores/sql.js';
import { sessionOpened } from '#application/sessions/sign-in.js';
import type { LatchkeyError } from '#domain/errors.js';
import { PostgresKeyReader } from '../keys/key-reader.js';
import { createDataSource } from '../schema.js';
import { Database } from './database.js';
import { openDatabase } from '../open-database.js';
import { PrimaryClient } from './connection.js';
import { refuseAmongAbandonedWaits, SynchronousCommits } from './standby.js';

/** Log levels of pino. */
const [INFO, WARN] = [30, 40];
const NOBODYS_KEY = '0'.repeat(24);
const WAITING = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND state = 'active'`;

const POOLINGS = ['session', 'transaction'] as const;

let primary: OwnPostgres;
let standby: OwnPostgres;
beforeAll(async () => {
  primary = await OwnPostgres.start();
  standby = await primary.startStandby('standby');
  await (await openDatabase(primaryAt(primary.url), 'lk')).destroy();
}, 60_000);
afterAll(async () => {
  await standby.remove();
  await primary.remove();
});

const set = async (setting: string) => {
  await sql(primary.url, `ALTER SYSTEM SET ${setting}`);
  await sql(primary.url, 'SELECT pg_reload_conf()');
};
const somebodyWaits = async () => (await sql(primary.url, `SELECT 1 ${WAITING}`)).length > 0;
/** The result of a call when an administrator cancels its wait for the standby. */
async function cancelled<T>(call: Promise<T>): Promise<T> {
  let isOver = false;
  const waiting = call.finally(() => (isOver = true));
  await eventually(async () => {
    await sql(primary.url, `SELECT pg_cancel_backend(pid) ${WAITING}`);
    return isOver;
  });
  return waiting;
}
/** Resolves with the error of a call, or with undefined when it succeeds. */
const met = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: LatchkeyError) => [error.code, (error.cause as Error).message] as const,
  );

const failure = (app: Application) =>
  app.audit.recordFailure({ reason: 'invalid-token', ownerId: null, keyId: null, publicPart: null, client: client() });

/** Connections through this address get no warnings, unless they change that. */
const withoutWarnings = () => `${primary.url}?options=-c%20client_min_messages%3Derror`;

/** Runs `work` while PostgreSQL has a setting under which it commits without the standby. */
async function alone<T>(setting: string, work: () => Promise<T>): Promise<T> {
  await set(setting);
  try {
    return await work();
  } finally {
    await set(setting.includes('names') ? `synchronous_standby_names = 'standby'` : `synchronous_commit = 'on'`);
  }
}
const NAMES = `synchronous_standby_names = ''`;
const OFF = `synchronous_commit = 'off'`;
const SETTINGS = [NAMES, `synchronous_commit = 'local'`, `synchronous_commit = 'remote_write'`];

describe.each(POOLINGS)('a read with a barrier, with pooling by %s', (pooling) => {
  const readers: PostgresKeyReader[] = [];
  afterAll(() => Promise.all(readers.map((each) => each.close())));
  function read(timeouts = {}, url = primary.url) {
    const reader = new PostgresKeyReader(primaryAt(url, { readBarrier: true, pooling, ...timeouts }));
    readers.push(reader);
    return met(reader.read(NOBODYS_KEY));
  }
  const REFUSED = ['unavailable', expect.stringMatching(/^READ_BARRIER is on, and PostgreSQL commits without/)];

  test('is answered while the standby acknowledges commits', async () => {
    await eventually(async () => (await read()) === undefined);
  });

  test('gets no answer without the standby, even if an administrator ends the wait', async () => {
    standby.pause();
    try {
      expect(await read({ timeoutMs: 200 })).toEqual(['unavailable', 'no answer within 200 ms']);
      expect(await cancelled(read())).toEqual(['unavailable', expect.stringMatching(/connection/i)]);
      expect(await cancelled(read({}, withoutWarnings()))).toEqual([
        'unavailable',
        expect.stringMatching(/connection/i),
      ]);
    } finally {
      standby.resume();
    }
    await eventually(async () => (await read({}, withoutWarnings())) === undefined);
  });

  test('waits for the standby where PostgreSQL has synchronous_commit off', async () => {
    await alone(OFF, async () => {
      await eventually(async () => (await read()) === undefined);
      standby.pause();
      try {
        expect(await read({ timeoutMs: 200 })).toEqual(['unavailable', 'no answer within 200 ms']);
      } finally {
        standby.resume();
      }
    });
  });

  test.each(SETTINGS)('gets no answer while PostgreSQL has %s', async (setting) => {
    await alone(setting, () => eventually(async () => (await read()) !== undefined));
    await eventually(async () => (await read()) === undefined);
  });

  test('gets no answer when waiting is switched off while it waits', async () => {
    standby.pause();
    try {
      const waiting = read();
      await eventually(somebodyWaits);
      await alone(NAMES, async () => expect(await waiting).toEqual(REFUSED));
    } finally {
      standby.resume();
    }
  });
});

describe('a change with REQUIRE_SYNCHRONOUS=on', () => {
  let app: Awaited<ReturnType<typeof openOver>>;
  beforeAll(async () => {
    const strict = primaryAt(primary.url, { requireSynchronous: true });
    app = await openOver(await openDatabase(strict, 'lk'), strict);
  });
  afterAll(() => app.close());
  const REFUSED = ['unavailable', expect.stringMatching(/^REQUIRE_SYNCHRONOUS is on, and PostgreSQL commits without/)];
  const refusal = () => failure(app);
  const session = async (id: string) => {
    const passwordHash = (await app.accounts.find(id))!.passwordHash!;
    return app.sessions.begin({ accountId: id, passwordHash, event: sessionOpened(id, client()) });
  };

  test.each(SETTINGS)('is refused and rolled back while PostgreSQL has %s', async (setting) => {
    const { id } = await newOwner(app);
    await alone(setting, async () => {
      await eventually(async () => (await met(newOwner(app))) !== undefined);
      expect(await met(newOwner(app, { id: 'refused' }))).toEqual(REFUSED);
      expect(await met(session(id))).toEqual(REFUSED);
      expect(await met(refusal())).toEqual(REFUSED);
    });
    expect(await app.accounts.find('refused')).toBeUndefined();
    await eventually(async () => (await met(refusal())) === undefined);
    expect(await session(id)).toHaveProperty('token');
  });

  test('is made where PostgreSQL has synchronous_commit off, and waits for the standby', async () => {
    await eventually(async () => (await met(refusal())) === undefined);
    await alone(OFF, async () => {
      await eventually(
        async () => (await sql(primary.url, 'SHOW synchronous_commit'))[0]!['synchronous_commit'] === 'off',
      );
      expect(await met(newOwner(app))).toBeUndefined();
      expect(await met(refusal())).toBeUndefined();
      standby.pause();
      const waiting = newOwner(app);
      await eventually(somebodyWaits).finally(() => standby.resume());
      expect(await waiting).toHaveProperty('id');
    });
  });

  test.each([
    ['an account', () => newOwner(app)],
    ['a failed authentication', refusal],
  ])('gets no answer for %s when waiting is switched off while it waits', async (_, change) => {
    await eventually(async () => (await met(refusal())) === undefined);
    standby.pause();
    try {
      const waiting = met(change());
      await eventually(somebodyWaits);
      await alone(NAMES, async () => expect(await waiting).toEqual(REFUSED));
    } finally {
      standby.resume();
    }
  });
});

test('reports once that commits have no standby, and once that they have one again', async () => {
  const { log, entries } = keptLog();
  const quiet = primaryAt(primary.url);
  const database = new Database(await createDataSource(quiet).initialize());
  const commits = new SynchronousCommits(database, log);
  const [gauge] = commits.instruments();
  const seen = async () => {
    await commits.look();
    return [gauge!.get().values[0]!.value, commits.warning] as const;
  };
  const warning = expect.stringMatching(
    /^PostgreSQL commits without a synchronous standby .* local or remote_write\).*revocations too$/,
  );
  await alone(NAMES, async () => {
    await eventually(
      async () => (await sql(primary.url, 'SHOW synchronous_standby_names'))[0]!['synchronous_standby_names'] === '',
    );
    expect([await seen(), await seen()]).toEqual([
      [0, warning],
      [0, warning],
    ]);
  });
  await eventually(async () => (await seen())[0] === 1);
  expect(commits.warning).toBeUndefined();
  await alone(NAMES, () => eventually(async () => (await seen())[0] === 0));
  await database.close();
  expect(entries.map(({ level, msg }) => [level, msg])).toEqual([
    [INFO, warning],
    [INFO, 'PostgreSQL commits with a synchronous standby again'],
    [WARN, warning],
  ]);
});

describe.each(POOLINGS)('with pooling by %s', (pooling) => {
  test.each<[string, (app: Application) => Promise<unknown>]>([
    ['a change', (app) => newOwner(app)],
    ['a failed authentication', (app) => failure(app)],
  ])('%s gets no answer when an administrator ends its wait for the standby', async (_, change) => {
    const quiet = primaryAt(withoutWarnings(), { pooling });
    const app = await openOver(await openDatabase(quiet, 'lk'), quiet);
    standby.pause();
    try {
      expect(await cancelled(met(change(app)))).toEqual(['unavailable', expect.stringMatching(/connection/i)]);
    } finally {
      standby.resume();
    }
    await app.close();
  });
});

describe('sessions that wait for an unavailable standby', () => {
  const left = async (name: string) => {
    const all = await sql(primary.url, `SELECT 1 ${WAITING} AND application_name = '${name}'`);
    return all.length;
  };

  test('are ended once their reads have timed out', async () => {
    const hurried = primaryAt(primary.url, { readBarrier: true, timeoutMs: 50 });
    const reader = new PostgresKeyReader(hurried);
    await reader.open();
    standby.pause();
    try {
      for (let n = 0; n < 40; n += 1) await met(reader.read(NOBODYS_KEY));
      await eventually(async () => {
        await met(reader.read(NOBODYS_KEY));
        return (await left('latchkey validation')) < 12;
      });
    } finally {
      standby.resume();
    }
    await eventually(async () => (await met(reader.read(NOBODYS_KEY))) === undefined);
    await reader.close();
  });

  test('allow no further connection once ten changes have timed out', async () => {
    const client = async () => {
      const opened = new PrimaryClient(primaryAt(primary.url), { application_name: 'latchkey' });
      await opened.connect();
      return opened;
    };
    const timedOut = await Promise.all(Array.from({ length: 10 }, client));
    const newcomer = await client();
    const require = (most: number) =>
      met(refuseAmongAbandonedWaits(newcomer, { name: 'latchkey', timeoutMs: 1, most }));
    standby.pause();
    try {
      for (const each of timedOut) each.query(`SELECT pg_logical_emit_message(true, '', '')`).catch(() => undefined);
      await eventually(async () => (await left('latchkey')) === 10);
      await eventually(async () => (await require(10)) !== undefined);
      expect(await require(10)).toEqual(['unavailable', expect.stringMatching(/^10 changes that were given up/)]);
      expect(await require(11)).toBeUndefined();
    } finally {
      standby.resume();
    }
    await Promise.all([...timedOut, newcomer].map((each) => each.end()));
  });
});
