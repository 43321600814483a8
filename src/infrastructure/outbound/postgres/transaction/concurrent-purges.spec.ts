import { themselves } from '#test/support/application/calls.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  outcomeOf,
  PASSWORD,
  tally,
  times,
  type Application,
  type OwnApplication,
} from '#test/support/application/application.js';

const READ = { operation: 'read', permission: '' } as const;
const PLATFORM = { actorId: 'service:platform', client: { ip: null, userAgent: null, requestId: null } };
const ROUNDS = 5;

let app: OwnApplication;
let other: Application;
beforeAll(async () => {
  app = await openOnOwnDatabase();
  other = await openApplication(app.databaseUrl);
});
afterAll(async () => {
  await other?.close();
  await app?.close();
});

const purge = (id: string, version?: bigint) => other.changeAccount.purge(id, version, PLATFORM);
const verdictOn = async (fullKey: string) =>
  (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict;
const REVOKED = { granted: false, reason: 'revoked' };
const isThere = async (id: string) => (await outcomeOf(app.findAccounts.byId(id))) === 'ok';

async function openKeys(ownerId: string): Promise<number> {
  const [row] = await app.sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM api_keys WHERE owner_id = $1 AND revoked_at IS NULL AND expired_at IS NULL`,
    [ownerId],
  );
  return row!.n;
}

describe('a purge', () => {
  test('leaves no data of the person in the account’s row', async () => {
    const { id, email } = await newOwner(app, { displayName: 'Ada Lovelace' });
    await purge(id);
    const [row] = await app.sql<{ text: string }>(`SELECT a::text AS text FROM accounts a WHERE id = $1`, [id]);
    for (const known of [email, 'Ada', 'argon2', 'systems']) expect(row!.text).not.toContain(known);
  });

  test('ends each key that is created at the same time, and none is created after it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await newOwner(app);
      const creations = times(4, () => createKey(app, id));
      const outcomes = tally(creations);
      const revoked = await purge(id);
      const { ok = 0, ...refusals } = await outcomes;
      const known = ['unauthenticated', 'incorrect_password'];
      expect(Object.keys(refusals).filter((code) => !known.includes(code))).toEqual([]);
      expect([revoked, await openKeys(id)]).toEqual([ok, 0]);
      const made = (await Promise.allSettled(creations)).flatMap((each) => ('value' in each ? [each.value] : []));
      for (const { fullKey } of made) expect(await verdictOn(fullKey)).toEqual(REVOKED);
      const types = (await eventsOf(app, id, 'api_key.%')).map(({ type }) => type).sort();
      expect(types).toEqual([...times(ok, () => 'api_key.created'), ...times(ok, () => 'api_key.revoked')]);
    }
  });

  test('applies to each validation that starts after its answer, on every instance', async () => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id);
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
        if (!startedAfterAnswer) continue;
        if (verdict.granted || verdict.reason !== 'revoked') stale.push(JSON.stringify(verdict));
        return;
      }
    });
    expect(await purge(id)).toBe(1);
    answered = true;
    await Promise.all(validating);
    expect(stale).toEqual([]);
  });

  test('deletes the account despite older updates, in any order of arrival', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, email } = await newOwner(app, { version: 1n });
      const { fullKey } = await createKey(app, id);
      const put = (version: number) => newOwner(app, { id, email, version: BigInt(version) });
      const updates = tally(times(10, (n) => put(((n * 7) % 10) + 1)));
      expect(await purge(id, 11n)).toBe(1);
      const outcomes = Object.keys(await updates);
      expect(outcomes.filter((code) => !['ok', 'stale_version'].includes(code))).toEqual([]);
      expect([await isThere(id), await verdictOn(fullKey)]).toEqual([false, REVOKED]);
    }
  });

  test('either runs before a newer account is opened or is refused', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, email } = await newOwner(app, { version: 1n });
      const { fullKey } = await createKey(app, id);
      const opened = newOwner(app, { id, email, version: 3n });
      const purged = await outcomeOf(purge(id, 2n));
      expect((await opened).version).toBe(3n);
      expect(['ok', 'stale_version']).toContain(purged);
      const { items } = await app.shownKeys.ofOwner(id, undefined, { limit: 5 });
      const isGranted = (await verdictOn(fullKey)).granted;
      expect([isGranted, items.length]).toEqual(purged === 'ok' ? [false, 0] : [true, 1]);
    }
  });

  test('ends each key once when ten purges and a revocation run at once', async () => {
    const { id } = await newOwner(app);
    const keys = [await createKey(app, id), await createKey(app, id)];
    const byOwner = outcomeOf(app.changeKeysOfOwner.revoke(themselves(id), keys[0]!.key.id, client()));
    const counts = await Promise.all(times(10, () => purge(id)));
    const revokedByPurge = counts.reduce((sum, count) => sum + count, 0);
    expect(revokedByPurge + ((await byOwner) === 'ok' ? 1 : 0)).toBe(2);
    expect(await eventsOf(app, id, 'api_key.revoked')).toHaveLength(2);
  });

  test('leaves nobody signed in when it runs during four sign-ins', async () => {
    const { id, email } = await newOwner(app);
    const attempts = tally(times(4, () => app.signIn.execute(email, PASSWORD, client())));
    await purge(id);
    const { ok = 0, invalid_credentials: refused = 0 } = await attempts;
    expect(ok + refused).toBe(4);
    expect(await app.sql(`SELECT 1 FROM sessions WHERE account_id = $1`, [id])).toEqual([]);
  });

  test('leaves no key of the former account when its id is opened again', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, email } = await newOwner(app);
      const creations = times(3, () =>
        createKey(app, id).then(
          ({ fullKey }) => fullKey,
          () => undefined,
        ),
      );
      await purge(id);
      await newOwner(app, { id, email, version: 1n, password: 'of another person' });
      for (const fullKey of await Promise.all(creations)) {
        if (fullKey !== undefined) expect(await verdictOn(fullKey)).toEqual(REVOKED);
      }
      expect((await app.shownKeys.ofOwner(id, undefined, { limit: 5 })).items).toEqual([]);
    }
  });
});
