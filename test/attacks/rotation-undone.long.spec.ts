import { themselves } from '#test/support/application/calls.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { client, createKey, newOwner, rotateKey } from '../support/application/application.js';
import { openTrail, type Trail } from '../support/stores/audit-trail.js';

/** A person with the database's password, who wants an old key to stay valid after its rotation. */
let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail?.close());
beforeEach(async () => {
  await trail.reset();
});

interface Pair {
  readonly ownerId: string;
  readonly old: string;
  readonly next: string;
  readonly fullKey: string;
}

const use = async (fullKey: string) => {
  const question = { operation: 'read', permission: '' } as const;
  const { verdict } = await trail.app.validateKey.execute({ credential: fullKey, question, client: client() });
  expect(verdict.granted).toBe(true);
};
const rotate = async (key: { ownerId: string; id: string }, graceSeconds = 3600): Promise<Pair> => {
  const { key: next, fullKey } = await rotateKey(trail.app, key, { graceSeconds });
  return { ownerId: key.ownerId, old: key.id, next: next.id, fullKey };
};
const begun = async (graceSeconds?: number) => {
  const { id } = await newOwner(trail.app);
  const { key } = await createKey(trail.app, id, { expiresInDays: 365 });
  return rotate(key.snapshot(), graceSeconds);
};
const inUse = async (graceSeconds?: number) => {
  const pair = await begun(graceSeconds);
  await use(pair.fullKey);
  return pair;
};
const revoke = ({ ownerId }: Pair, id: string) => trail.app.changeKeysOfOwner.revoke(themselves(ownerId), id, client());
const revokeForPlatform = ({ next }: Pair) =>
  trail.app.revokeKeys.byId(next, { actor: { actorId: 'service:x', client: client() }, reason: 'platform' });
const set = (id: string, change: string) => trail.app.sql(`UPDATE api_keys SET ${change} WHERE id = $1`, [id]);
const problems = async () => {
  await trail.seal();
  const found = await trail.verify();
  return found.comparison ? found.comparison.differences.map(({ id, problem }) => `${id} ${problem}`) : found;
};
/** As releases left the audit trail that recorded no first use. */
const forgetFirstUses = () => trail.tamper(`DELETE FROM audit_events WHERE type = 'api_key.first_used'`);

test.each<[string, (pair: Pair) => Promise<unknown>, string]>([
  ['the end of the old key', ({ old }) => set(old, 'ends_at = NULL'), 'ends at no time'],
  ['the end of the old key, put off', ({ old }) => set(old, `ends_at = ends_at + interval '1 day'`), 'ends at'],
  ['the end of the old key, for ever', ({ old }) => set(old, `ends_at = 'infinity'`), 'ends at'],
  ['the old key of its successor', ({ next }) => set(next, 'replaces = NULL'), 'replaces no key'],
  ['the successor of the old key', ({ old }) => set(old, 'replaced_by = NULL'), 'replaced by no key'],
  ['the grace period', ({ next }) => set(next, 'grace_seconds = NULL'), 'has a grace period of null seconds'],
  ['the first use', ({ next }) => set(next, 'first_used_at = NULL'), 'was first used at no time'],
  [
    'all of it',
    async ({ old, next }) => {
      await set(old, 'ends_at = NULL, replaced_by = NULL');
      await set(next, 'replaces = NULL, grace_seconds = NULL, first_used_at = NULL');
    },
    'replaces no key',
  ],
])('is detected when they take %s out of a rotation whose successor is in use', async (_, tamper, problem) => {
  const pair = await inUse();
  expect(await problems()).toEqual([]);
  await tamper(pair);
  expect(await problems()).toContainEqual(expect.stringContaining(problem));
});

test.each<[string, (pair: Pair) => Promise<unknown>]>([
  ['take its old key from it', ({ next }) => set(next, 'replaces = NULL')],
  ['take its grace period from it', ({ next }) => set(next, 'grace_seconds = NULL')],
  ['take it from the old key', ({ old }) => set(old, 'replaced_by = NULL')],
  ['mark it as used', ({ next }) => set(next, 'first_used_at = now()')],
  [
    'mark it as used in a year',
    async ({ old, next }) => {
      await set(next, `first_used_at = now() + interval '1 year'`);
      await set(old, 'ends_at = expires_at');
    },
  ],
])('is detected when they %s before the successor was used', async (_, tamper) => {
  const pair = await begun();
  expect(await problems()).toEqual([]);
  await tamper(pair);
  expect(await problems()).not.toEqual([]);
});

test('is detected when they make a key of its own a successor, which does not count for the cap', async () => {
  const { id } = await newOwner(trail.app);
  const [one, other] = [await createKey(trail.app, id), await createKey(trail.app, id)];
  await set(one.key.id, `replaces = '${other.key.id}', grace_seconds = 60`);
  expect(await problems()).toHaveLength(3);
});

test('is detected when they remove the end after the successor has ended', async () => {
  const pair = await inUse();
  await revokeForPlatform(pair);
  expect(await problems()).toEqual([]);
  await set(pair.old, 'ends_at = NULL, replaced_by = NULL');
  expect(await problems()).toHaveLength(1);
});

test('is detected when they remove the end that a first successor set, before the second rotation is cancelled', async () => {
  const pair = await inUse();
  await revokeForPlatform(pair);
  const second = await rotate({ ownerId: pair.ownerId, id: pair.old }, 60);
  await use(second.fullKey);
  expect(await problems()).toEqual([]);
  await set(pair.old, 'prior_ends_at = NULL');
  await revoke(second, second.next);
  expect(await problems()).toEqual([expect.stringMatching(`gave key ${pair.old} its end .* ends at no time`)]);
});

test('the first use is recorded with the end that it sets', async () => {
  const pair = await inUse();
  const [event] = await trail.app.sql<{ details: string; client_ip: string }>(
    `SELECT details, client_ip FROM audit_events WHERE type = 'api_key.first_used' AND key_id = $1`,
    [pair.next],
  );
  const [stored] = await trail.app.sql<{ first: Date; ends: Date }>(
    `SELECT next.first_used_at AS first, old.ends_at AS ends FROM api_keys next, api_keys old
     WHERE next.id = $1 AND old.id = $2`,
    [pair.next, pair.old],
  );
  const [firstUsedAt, endsAt] = [stored!.first.toISOString(), stored!.ends.toISOString()];
  expect(JSON.parse(event!.details)).toEqual({ firstUsedAt, replaces: pair.old, endsAt });
  expect(event!.client_ip).toBe(client().ip);
});

describe('a genuine rotation differs in nothing', () => {
  const lives: [string, () => Promise<unknown>][] = [
    ['that was begun', () => begun()],
    ['whose successor is in use', () => inUse()],
    ['without a grace period', () => inUse(0)],
    ['that was cancelled before its first use', () => begun().then((pair) => revoke(pair, pair.next))],
    ['that was cancelled after its first use', () => inUse().then((pair) => revoke(pair, pair.next))],
    ['whose successor ended in another way', () => inUse().then(revokeForPlatform)],
    ['whose old key was revoked', () => inUse().then((pair) => revoke(pair, pair.old))],
    ['that was cancelled, and begun once more', () => again(async (pair) => void (await revoke(pair, pair.next)))],
    ['of a key whose first successor has ended', () => again(async (pair) => void (await revokeForPlatform(pair)))],
    [
      'that was cancelled after the first successor had ended',
      async () => {
        const second = await again(async (pair) => void (await revokeForPlatform(pair)));
        await revoke(second, second.next);
      },
    ],
    ['of a purged account', () => inUse().then(({ ownerId }) => purge(ownerId))],
  ];
  /** The second rotation ends the old key sooner. */
  const again = async (end: (pair: Pair) => Promise<void>) => {
    const pair = await inUse();
    await end(pair);
    const second = await rotate({ ownerId: pair.ownerId, id: pair.old }, 60);
    await use(second.fullKey);
    return second;
  };
  const purge = (id: string) => trail.app.changeAccount.purge(id, undefined, { actorId: null, client: client() });

  test.each(lives)('%s', async (_, live) => {
    await live();
    expect(await problems()).toEqual([]);
  });

  test.each(lives)('%s, in a release that recorded no first use', async (_, live) => {
    await live();
    await forgetFirstUses();
    expect(await problems()).toEqual([]);
  });

  test('and what such a release left of it still shows that its end was removed', async () => {
    const { old } = await inUse();
    await forgetFirstUses();
    await set(old, 'ends_at = NULL');
    expect(await problems()).toHaveLength(1);
  });
});
