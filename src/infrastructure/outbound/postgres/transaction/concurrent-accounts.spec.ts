import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Application,
  client,
  createKey,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  outcomeOf,
  type OwnApplication,
  PASSWORD,
  rotateKey,
  tally,
  times,
} from '#test/support/application/application.js';
import { rowsRead } from '#test/support/stores/rows-read.js';
import type { PutAccountCommand } from '#application/accounts/put-account.js';
import { cheapPasswords } from '#test/support/application/cheap-passwords.js';
import { printFigures, shortOrLong } from '#test/support/jest/long-form.js';
import type { Account } from '#domain/accounts/account.js';
import { THE_SERVICE } from '#domain/audit/audit-event.js';
import type { Database } from '../client/database.js';
import { PostgresAccounts } from './accounts.js';

let app: OwnApplication;

let made = 0;

describe('an account that is changed at the same time', () => {
  beforeAll(async () => {
    app = await openOnOwnDatabase();
  });
  afterAll(() => app?.close());
  function profile(part: Partial<PutAccountCommand> = {}): PutAccountCommand {
    const id = part.id ?? `p${(made += 1)}`;
    return { id, email: `${id}@example.org`, displayName: 'Ada', permissions: ['systems:read'], ...part };
  }

  describe('the email of an account', () => {
    test('goes to one of 20 new accounts that claim it at once', async () => {
      const claims = times(20, () => app.putAccount.execute(profile({ email: 'race@example.org' })));
      expect(await tally(claims)).toEqual({ ok: 1, email_taken: 19 });
    });
  });

  describe('the version of an account', () => {
    test('is the newest of 20 that arrive out of order, for an existing account and a new one', async () => {
      for (const exists of [true, false]) {
        const base = profile();
        if (exists) await app.putAccount.execute(base);
        const shuffled = times(20, (n) => ((n * 7) % 20) + 1);
        const outcomes = await tally(
          shuffled.map((n) => app.putAccount.execute({ ...base, version: BigInt(n), displayName: `v${n}` })),
        );
        expect(Object.keys(outcomes).filter((code) => !['ok', 'stale_version'].includes(code))).toEqual([]);
        expect(await app.findAccounts.byId(base.id)).toMatchObject({ version: 20n, displayName: 'v20' });
      }
    });
  });

  describe('the status of an account', () => {
    test('is that of the newest version, in any order of 20 changes', async () => {
      const { id } = await newOwner(app);
      const changes = times(20, (n) => ((n * 7) % 20) + 1);
      const change = (version: number) =>
        app.changeAccount[version % 2 ? 'suspend' : 'reactivate'](id, BigInt(version));
      const outcomes = await tally(changes.map(change));
      expect(Object.keys(outcomes).filter((code) => !['ok', 'stale_version'].includes(code))).toEqual([]);
      expect(await app.findAccounts.byId(id)).toMatchObject({ status: 'active', version: 20n });
    });

    test('leaves nobody signed in when it changes during four sign-ins', async () => {
      const { id, email } = await newOwner(app);
      const attempts = tally(times(4, () => app.signIn.execute(email, PASSWORD, client())));
      await app.changeAccount.suspend(id);
      const { ok = 0, invalid_credentials: refused = 0 } = await attempts;
      expect(ok + refused).toBe(4);
      expect(await app.sql(`SELECT 1 FROM sessions WHERE account_id = $1`, [id])).toEqual([]);
    });
  });

  test('Counting service accounts without managers reads only them and their managers, among 50,000 persons', async () => {
    await app.sql(
      `INSERT INTO accounts (id, email, email_key, display_name, permissions, status, version)
     SELECT 'many' || n, n || '@many', n || '@many', '', '{}', 'active', 0 FROM generate_series(1, 50000) AS n`,
    );
    const { id } = await newOwner(app);
    for (const bot of ['bot1', 'bot2', 'bot3']) {
      const profile = { email: '', displayName: 'CI bot', permissions: [], managers: [id, 'many1'] };
      await app.putAccount.execute({ id: bot, kind: 'service', ...profile });
    }
    await app.sql('ANALYZE accounts');
    const count = (explained: typeof app.database) =>
      new PostgresAccounts(explained, app.outboxWriter, false).countWithoutManagers();
    expect(await rowsRead(app.database, count)).toBeLessThanOrEqual(3 + 3 * 2);
    expect(await count(app.database)).toBe(0);
  });
});

test('a transaction gives up when another call was first a hundred times in a row', async () => {
  let attempts = 0;
  const alwaysSecond = {
    transaction: async () => {
      attempts += 1;
      const constraint = attempts > 1000 ? 'none that it knows' : 'api_keys_public_part';
      throw Object.assign(new Error('duplicate key'), { code: '23505', severity: 'ERROR', constraint });
    },
  } as unknown as Database;
  const accounts = new PostgresAccounts(alwaysSecond, undefined as never, false);
  expect(await outcomeOf(accounts.transaction('u-1', () => Promise.resolve()))).toBe('unavailable');
  expect(attempts).toBe(100);
});

describe('a manager whose access ends while they make or rotate a key', () => {
  const READ = { operation: 'read', permission: '' } as const;
  const TRIES = shortOrLong(24, 1000);

  /** Runs between the check of a manager's password and the transaction that makes the key. */
  let whenConfirmed = () => Promise.resolve();
  const passwords = cheapPasswords();
  const stopped = Object.assign(Object.create(passwords) as typeof passwords, {
    verify: async (...check: Parameters<typeof passwords.verify>) => {
      const result = await passwords.verify(...check);
      await whenConfirmed();
      return result;
    },
  });

  const rateLimit = { perSecond: 10_000, burst: 10_000 };
  let other: Application;
  beforeAll(async () => {
    app = await openOnOwnDatabase({ passwords: stopped, rateLimit });
    other = await openApplication(app.databaseUrl, { rateLimit });
  });
  afterAll(async () => {
    await other?.close();
    await app?.close();
  });

  interface Scene {
    readonly person: Account;
    readonly bot: Account;
    readonly acting: { readonly personId: string; readonly ownerId: string };
  }
  async function scene(): Promise<Scene> {
    const [person, colleague] = [await newOwner(app), await newOwner(app)];
    const id = `bot${(made += 1)}`;
    const profile = {
      id,
      email: '',
      displayName: 'CI bot',
      permissions: ['systems:read'],
      limits: { maxActiveKeys: 100 },
    };
    const bot = await app.putAccount.execute({ ...profile, kind: 'service', managers: [person.id, colleague.id] });
    return { person, bot, acting: { personId: person.id, ownerId: id } };
  }

  /** What ends a manager's access. The other instance does it. */
  const ENDS = {
    suspended: ({ person }: Scene) => other.changeAccount.suspend(person.id),
    deleted: ({ person }: Scene) => other.changeAccount.delete(person.id),
    'no longer named': async ({ person, bot: { id, email, displayName, permissions, managers } }: Scene) => {
      const others = managers.filter((each) => each !== person.id);
      await other.putAccount.execute({ id, email, displayName, permissions, managers: others });
    },
    purged: ({ person }: Scene) => other.changeAccount.purge(person.id, undefined, THE_SERVICE),
  } as const satisfies Record<string, (scene: Scene) => Promise<unknown>>;
  const KINDS = Object.keys(ENDS) as (keyof typeof ENDS)[];

  const keysOf = async (ownerId: string) => {
    const [row] = await app.sql<{ n: number }>(`SELECT count(*)::int AS n FROM api_keys WHERE owner_id = $1`, [
      ownerId,
    ]);
    return row!.n;
  };

  const CHANGES = {
    create: ({ bot, acting }: Scene) => createKey(app, bot.id, acting),
    rotate: ({ bot, acting }: Scene, keyId: string) => rotateKey(app, { ownerId: bot.id, id: keyId }, acting),
  } as const;

  interface Try {
    readonly here: Scene;
    readonly keyId: string;
    readonly change: (here: Scene, keyId: string) => Promise<unknown>;
    readonly end: (here: Scene) => Promise<unknown>;
  }

  /** The access ends after the password was checked and before the transaction begins. */
  async function inBetween({ here, keyId, change, end }: Try): Promise<string> {
    whenConfirmed = () => {
      whenConfirmed = () => Promise.resolve();
      return end(here).then(() => undefined);
    };
    return outcomeOf(change(here, keyId));
  }

  /** Both ask for the same locks at once. Returns the outcome, and `a key after the answer` if there was one. */
  async function atOnce({ here, keyId, change, end }: Try): Promise<string> {
    const isConfirmed = new Promise<void>((resolve) => {
      whenConfirmed = async () => {
        whenConfirmed = () => Promise.resolve();
        resolve();
      };
    });
    const changing = outcomeOf(change(here, keyId));
    await isConfirmed;
    await end(here);
    const whenAnswered = await keysOf(here.bot.id);
    const outcome = await changing;
    return (await keysOf(here.bot.id)) === whenAnswered ? outcome : 'a key after the answer';
  }

  /** Validates keys on both instances, again and again, until it is stopped. */
  function validating(fullKeys: readonly string[]) {
    const seen = { granted: 0, refused: 0 };
    let isOver = false;
    const validate = async (instance: Application) => {
      for (let n = 0; !isOver; n += 1) {
        const credential = fullKeys[n % Math.max(fullKeys.length, 1)];
        // oxlint-disable-next-line no-await-in-loop
        const { verdict } = await instance.validateKey.execute({ credential, question: READ, client: client() });
        if (credential !== undefined) seen[verdict.granted ? 'granted' : 'refused'] += 1;
        // Leaves the processor to what is tested.
        // oxlint-disable-next-line no-await-in-loop
        await pause(5);
      }
    };
    const loops = [app, other].map(validate);
    return async () => {
      isOver = true;
      await Promise.all(loops);
      return seen;
    };
  }

  test('has made it before the answer, or not at all, and the keys of the account stay valid', async () => {
    const fullKeys = [(await createKey(app, (await newOwner(app)).id)).fullKey];
    const stop = validating(fullKeys);
    const counts: Record<string, number> = {};
    for (let n = 0; n < TRIES; n += 1) {
      const [kind, change] = [KINDS[n % KINDS.length]!, n % 3 === 0 ? 'rotate' : 'create'] as const;
      // oxlint-disable-next-line no-await-in-loop
      const here = await scene();
      // oxlint-disable-next-line no-await-in-loop
      const { key, fullKey } = await createKey(app, here.bot.id, here.acting);
      fullKeys.push(fullKey);
      const attempt = { here, keyId: key.id, change: CHANGES[change], end: ENDS[kind] };
      const isBetween = Math.floor(n / KINDS.length) % 2 === 0;
      // oxlint-disable-next-line no-await-in-loop
      const outcome = await (isBetween ? inBetween(attempt) : atOnce(attempt));
      if (isBetween) expect([kind, outcome]).not.toEqual([kind, 'ok']);
      const name = `${isBetween ? 'between' : 'at once'}: ${outcome}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    const seen = await stop();
    printFigures('managers whose access ends', { ...counts, ...seen });
    expect(counts['at once: a key after the answer']).toBeUndefined();
    expect(seen.refused).toBe(0);
    expect(seen.granted).toBeGreaterThan(0);
  });
});
