import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  type Application,
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  PASSWORD,
  runOut,
  SERVICE_POLICY,
  tally,
  themselves,
  times,
} from '#test/support/application/application.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { eventually } from '#test/support/eventually.js';
import { ImportKeys } from '#application/keys/import-keys.js';
import { RevokeKeys } from '#application/keys/revoke-keys.js';
import type { PasswordGuesses, Passwords } from '#application/sign-in-ports.js';
import { importedPart } from '#domain/keys/imported-key.js';
import { DAY_MS } from '#domain/time.js';

let database: Awaited<ReturnType<typeof createDatabase>>;

describe('keys on two instances', () => {
  const READ = { operation: 'read', permission: '' } as const;
  const ADMIN = { actorId: 'admin:ada', client: { ip: null, userAgent: 'latchkey-cli', requestId: null } };

  /** Accepts any password at once, for crowds of creates that are not about passwords. */
  class AnyPassword implements Passwords {
    requireRoom(): void {}
    hash = async () => '';
    verify = async () => ({ matches: true, outdated: false });
    hashProblem = () => undefined;
  }

  /** Counts nothing and blocks nobody. */
  class NoThrottle implements PasswordGuesses {
    count = async () => {};
    forgive = async () => {};
    hasSucceeded = async () => true;
  }
  let app: Application;
  let crowd: Application;
  let other: Application;
  let admin: RevokeKeys;

  beforeAll(async () => {
    database = await createDatabase();
    const quick = { passwords: new AnyPassword(), guesses: new NoThrottle() };
    app = await openApplication(database.url);
    crowd = await openApplication(database.url, quick);
    other = await openApplication(database.url, quick);
    admin = new RevokeKeys(app.accounts, app.keys, []);
  });
  afterAll(async () => {
    await Promise.all([app, crowd, other].map((instance) => instance?.close()));
    await database.drop();
  });

  const ownerWith = async (keys: number) => {
    const owner = await newOwner(app);
    for (let made = 0; made < keys; made += 1) await createKey(crowd, owner.id);
    return owner.id;
  };

  async function storedKeys(ownerId: string): Promise<number> {
    const [row] = await app.sql<{ n: number }>(`SELECT count(*)::int AS n FROM api_keys WHERE owner_id = $1`, [
      ownerId,
    ]);
    return row!.n;
  }

  describe('creating a key', () => {
    test('stores the secret in no table', async () => {
      const { id: ownerId } = await newOwner(app, { password: 'a password to look for' });
      const { fullKey } = await createKey(app, ownerId, { password: 'a password to look for' });
      await app.validateKey.execute({
        credential: fullKey,
        question: { operation: 'read', permission: '' },
        client: client(),
      });
      await app.usage.flush();
      const secret = fullKey.split('.')[1]!;
      for (const table of ['accounts', 'api_keys', 'api_key_usage', 'sessions', 'password_guesses', 'audit_events']) {
        const rows = await app.sql<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
        const text = rows.map((row) => row.text).join('\n');
        for (const hidden of [secret, Buffer.from(secret).toString('hex'), 'a password to look for']) {
          expect(text).not.toContain(hidden);
        }
      }
    });
  });

  describe('the limit of five active keys', () => {
    test('allows one of 50 parallel creates to an owner with four keys', async () => {
      const ownerId = await ownerWith(4);
      expect(await tally(times(50, () => createKey(crowd, ownerId)))).toEqual({ ok: 1, too_many_active_keys: 49 });
      expect(await storedKeys(ownerId)).toBe(5);
      expect(await eventsOf(app, ownerId)).toHaveLength(5);
    });

    test('allows five of 50 parallel creates on two instances to an owner without keys', async () => {
      const ownerId = await ownerWith(0);
      const calls = times(50, (n) => createKey(n % 2 ? crowd : other, ownerId));
      expect(await tally(calls)).toEqual({ ok: 5, too_many_active_keys: 45 });
      expect(await storedKeys(ownerId)).toBe(5);
    });

    test('allows one of 50 parallel creates with the real throttle and the real argon2', async () => {
      const { id: ownerId } = await newOwner(app, { password: PASSWORD });
      for (let made = 0; made < 4; made += 1) await createKey(crowd, ownerId);
      const { ok, ...refusals } = await tally(times(50, () => createKey(app, ownerId)));
      expect(ok).toBe(1);
      const known = ['too_many_active_keys', 'too_many_attempts', 'busy'];
      expect(Object.keys(refusals).filter((code) => !known.includes(code))).toEqual([]);
      expect(await storedKeys(ownerId)).toBe(5);
    });
  });

  describe('an Idempotency-Key', () => {
    test('creates one key for 20 requests at once', async () => {
      const ownerId = await ownerWith(0);
      const calls = times(20, () => createKey(crowd, ownerId, { idempotencyKey: 'once' }));
      expect(await tally(calls)).toEqual({ ok: 1, idempotency_key_reused: 19 });
    });
  });

  describe('revoking a key', () => {
    test('ends it on every instance before the answer, with its event', async () => {
      const { id } = await newOwner(app);
      const { key, fullKey } = await createKey(app, id);
      const from = client('203.0.113.9');
      const { now, lastUsedAt, ...revoked } = await app.changeKeysOfOwner.revoke(themselves(id), key.id, from);
      expect([revoked.key.status(now), revoked.key.snapshot().revokedAt, lastUsedAt]).toEqual(['revoked', now, null]);
      for (const instance of [other, app]) {
        const { verdict } = await instance.validateKey.execute({
          credential: fullKey,
          question: READ,
          client: client(),
        });
        expect(verdict).toEqual({ granted: false, reason: 'revoked' });
      }
      expect(await eventsOf(app, id, 'api_key.revoked')).toMatchObject([
        { key_id: key.id, actor_id: id, client_ip: '203.0.113.9', request_id: from.requestId },
      ]);
    });

    test('is known to each validation that starts after the answer, under load', async () => {
      const { id } = await newOwner(app);
      const { key, fullKey } = await createKey(app, id);
      let answered = false;
      const stale: string[] = [];
      const validating = times(30, async (n) => {
        for (;;) {
          const startedAfterAnswer = answered;
          const { verdict } = await (n % 2 ? app : other).validateKey.execute({
            credential: fullKey,
            question: READ,
            client: client(),
          });
          if (startedAfterAnswer && (verdict.granted || verdict.reason !== 'revoked'))
            stale.push(JSON.stringify(verdict));
          if (startedAfterAnswer) return;
        }
      });
      await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
      answered = true;
      await Promise.all(validating);
      expect(stale).toEqual([]);
    });

    test('succeeds for one of 20 calls at once, and the others learn that the key had ended', async () => {
      const { id } = await newOwner(app);
      const { key } = await createKey(app, id);
      const calls = times(20, (n) => (n % 2 ? app : other).changeKeysOfOwner.revoke(themselves(id), key.id, client()));
      expect(await tally(calls)).toEqual({ ok: 1, api_key_not_active: 19 });
      expect(await eventsOf(app, id, 'api_key.revoked')).toHaveLength(1);
    });
  });

  describe('revoking as an administrator', () => {
    const verdictOn = async (fullKey: string) =>
      (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict;

    test('ends a key once while others revoke it too', async () => {
      const { id } = await newOwner(app);
      const { key } = await createKey(app, id);
      const calls = times(6, (n) =>
        n % 2
          ? admin.one(id, key.id, { actor: ADMIN, reason: 'administrator' })
          : app.changeKeysOfOwner.revoke(themselves(id), key.id, client()),
      );
      expect(await tally(calls)).toEqual({ ok: 1, api_key_not_active: 5 });
      expect((await eventsOf(app, id)).map(({ type }) => type)).toEqual(['api_key.created', 'api_key.revoked']);
    });

    test('ends all keys of an owner, and a key created at the same time is ended or comes after', async () => {
      const { id } = await newOwner(app);
      const keys = [await createKey(app, id), await createKey(app, id), await createKey(app, id)];
      await runOut(app, keys[0]!.key.id);
      const [revoked, created] = await Promise.all([
        admin.all(id, { actor: ADMIN, reason: 'administrator' }),
        createKey(app, id),
      ]);
      const ended = revoked.map((key) => key.id).sort();
      const createdFirst = ended.includes(created.key.id);
      const expected = [...keys.slice(1), ...(createdFirst ? [created] : [])];
      expect(ended).toEqual(expected.map(({ key }) => key.id).sort());
      for (const { fullKey } of expected)
        expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
      expect((await verdictOn(created.fullKey)).granted).toBe(!createdFirst);
      const events = await eventsOf(app, id, 'api_key.%');
      expect(events.filter(({ type }) => type === 'api_key.expired')).toHaveLength(1);
      const named = events.filter(({ actor_id: actor }) => actor === 'admin:ada').map(({ key_id: key }) => key);
      expect(named.sort()).toEqual(ended);
    });
  });

  describe('an import', () => {
    const rules = { importPrefixes: ['acme_'], policy: SERVICE_POLICY, marker: 'lk' };
    const importFor = (instance: Application, ownerId: string, digests: readonly Buffer[]) =>
      new ImportKeys(instance.accounts, rules, false).execute(
        digests.map((sha256) => ({
          ...{ ownerId, sha256, name: 'CI', access: 'read-only', displayPrefix: 'acme_1', permissions: ['*'] },
          ...{ allowedNetworks: [], expiresAt: new Date(Date.now() + DAY_MS) },
        })),
        ADMIN,
      );
    const refusals = (outcomes: readonly object[]) => outcomes.filter((outcome) => 'refused' in outcome).length;

    test('makes each key once for two owners whose lines have the same keys in opposite orders', async () => {
      const [ada, grace] = [await newOwner(app), await newOwner(app)];
      const digests = times(100, () => randomBytes(32));
      const [one, two] = await Promise.all([
        importFor(app, ada.id, digests),
        importFor(other, grace.id, digests.toReversed()),
      ]);
      expect([refusals(one), refusals(two)].toSorted()).toEqual([0, 100]);
    });

    test('refuses keys that two other imports add while it waits for them, one after the other', async () => {
      const [ada, grace] = [await newOwner(app), await newOwner(app)];
      const { key } = await createKey(app, grace.id);
      const digests = times(2, (n) => Buffer.concat([Buffer.of(n), randomBytes(31)]));
      const adding = await Promise.all(
        digests.map(async (digest) => {
          const holder = new pg.Client({ connectionString: database.url });
          await holder.connect();
          await holder.query('BEGIN');
          await holder.query(
            `INSERT INTO api_keys SELECT (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(),
              'public_part', $2::text))).* FROM api_keys k WHERE k.id = $1`,
            [key.id, importedPart(digest)],
          );
          return holder;
        }),
      );
      const importing = importFor(app, ada.id, digests);
      importing.catch(() => undefined);
      try {
        for (const holder of adding) {
          const waits = `SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))`;
          const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await eventually(async () => (await app.sql(waits, [rows[0]!.pid])).length > 0);
          await holder.query('COMMIT');
        }
        expect(refusals(await importing)).toBe(2);
      } finally {
        await Promise.all(adding.map((holder) => holder.end()));
      }
    });
  });
});

describe('KEY_CHANGES_PER_HOUR', () => {
  const LIMIT = 20;
  const noThrottle: PasswordGuesses = {
    count: async () => {},
    forgive: async () => {},
    hasSucceeded: async () => true,
  };
  let instances: Application[];
  beforeAll(async () => {
    database = await createDatabase();
    const given = { guesses: noThrottle, keyChangesPerHour: LIMIT };
    instances = [await openApplication(database.url, given), await openApplication(database.url, given)];
  });
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.close()));
    await database.drop();
  });

  test('exactly as many keys as KEY_CHANGES_PER_HOUR are made by a crowd that creates and revokes on two instances', async () => {
    const { id } = await newOwner(instances[0]!);
    const refusals = await Promise.all(
      times(8, async (n) => {
        const app = instances[n % 2]!;
        for (;;) {
          try {
            const { key } = await createKey(app, id);
            await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
          } catch (error) {
            const { code } = error as { code?: string };
            // A place is free again as soon as another one of the crowd has revoked its key.
            if (code !== 'too_many_active_keys') return code;
          }
        }
      }),
    );
    expect(new Set(refusals)).toEqual(new Set(['too_many_changes']));
    const stored = await instances[0]!.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM api_keys WHERE owner_id = $1',
      [id],
    );
    expect(stored).toEqual([{ n: LIMIT }]);
  });
});
