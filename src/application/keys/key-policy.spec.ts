import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  rotateKey,
  times,
  themselves,
} from '#test/support/application/calls.js';
import { eventsOf } from '#test/support/application/stored.js';
import type { AccountLimits } from '#domain/accounts/entitlements.js';
import { DAY_MS } from '#domain/time.js';

const app = openFakes({ settings: { keyPolicy: { maxActiveKeys: 3, maxKeyDays: 60 } } });

const limit = async (id: string, limits: AccountLimits) => {
  const { email, displayName, permissions } = await app.findAccounts.byId(id);
  await app.putAccount.execute({ id, email, displayName, permissions, limits });
};
const ownerWith = async (limits: AccountLimits) => (await newOwner(app, { limits })).id;
const daysOf = ({ key, now }: { key: { snapshot(): { expiresAt: Date } }; now: Date }) =>
  (+key.snapshot().expiresAt - +now) / DAY_MS;
const storedKeys = (ownerId: string) => [...app.store.keys.values()].filter(({ state }) => state.ownerId === ownerId);
const list = (ownerId: string) => app.shownKeys.ofOwner(ownerId, undefined, { limit: 50 });
const ALLOWED_WRITING = { access: 'read-and-write' } as const;

describe('The policy of an account', () => {
  test.each<[string, AccountLimits, number]>([
    ["the service's", {}, 3],
    ['its own lower', { maxActiveKeys: 1 }, 1],
    ['its own higher', { maxActiveKeys: 4 }, 4],
  ])('lets it have %s number of active keys, also when they are created at once', async (_, limits, most) => {
    const ownerId = await ownerWith(limits);
    const outcomes = await Promise.all(times(5, () => outcomeOf(createKey(app, ownerId))));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(most);
    expect(outcomes.filter((outcome) => outcome === 'too_many_active_keys')).toHaveLength(5 - most);
    expect(storedKeys(ownerId)).toHaveLength(most);
  });

  test.each<[string, AccountLimits, number]>([
    ["the service's", {}, 60],
    ['its own lower', { maxKeyDays: 7 }, 7],
    ["not more than the service's", { maxKeyDays: 365 }, 60],
  ])('lets its keys last %s number of days, which is also the default', async (_, limits, most) => {
    const ownerId = await ownerWith(limits);
    await expect(createKey(app, ownerId, { expiresInDays: most + 1 })).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'expiresInDays' }] },
    });
    expect([storedKeys(ownerId), eventsOf(app, ownerId, 'api_key.')]).toEqual([[], []]);
    expect(daysOf(await createKey(app, ownerId, { expiresInDays: most }))).toBe(most);
    expect(daysOf(await createKey(app, ownerId, { expiresInDays: undefined }))).toBe(most);
  });

  test('refuses access above its ceiling, and creates nothing', async () => {
    const ownerId = await ownerWith({ maxAccess: 'read-only' });
    await expect(createKey(app, ownerId, ALLOWED_WRITING)).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'access' }] },
    });
    expect(storedKeys(ownerId)).toEqual([]);
    expect((await createKey(app, ownerId, { access: 'read-only' })).access).toBe('read-only');
  });

  test('is in the list, with the limits that are its own', async () => {
    const ownerId = await ownerWith({ maxActiveKeys: 2, maxAccess: 'read-only' });
    expect((await list(ownerId)).policy).toEqual({
      maxActiveKeys: 2,
      maxKeyDays: 60,
      newKeys: true,
      maxAccess: 'read-only',
      limitedByAccount: ['maxActiveKeys', 'maxAccess'],
    });
  });

  test('counts from the next creation on when it changes', async () => {
    const ownerId = await ownerWith({});
    await createKey(app, ownerId);
    await limit(ownerId, { maxActiveKeys: 1 });
    expect(await outcomeOf(createKey(app, ownerId))).toBe('too_many_active_keys');
    await limit(ownerId, { maxActiveKeys: 2 });
    expect(await outcomeOf(createKey(app, ownerId))).toBe('ok');
  });
});

describe('A rotation under a policy', () => {
  test('takes the days of the old key, lowered to what is allowed now, and refuses more', async () => {
    const ownerId = await ownerWith({});
    const { key } = await createKey(app, ownerId, { expiresInDays: 30 });
    await limit(ownerId, { maxKeyDays: 7 });
    await expect(rotateKey(app, { ownerId, id: key.id }, { expiresInDays: 8 })).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'expiresInDays' }] },
    });
    expect(storedKeys(ownerId)).toHaveLength(1);
    expect(daysOf(await rotateKey(app, { ownerId, id: key.id }))).toBe(7);
  });

  test('replaces each key of an owner who has more than allowed, who still can make no other key', async () => {
    const ownerId = await ownerWith({});
    const [one, two] = [await createKey(app, ownerId), await createKey(app, ownerId)];
    await limit(ownerId, { maxActiveKeys: 1 });
    expect(await outcomeOf(rotateKey(app, { ownerId, id: one.key.id }))).toBe('ok');
    const leaked = { leaked: true, graceSeconds: undefined };
    expect(await outcomeOf(rotateKey(app, { ownerId, id: two.key.id }, leaked))).toBe('ok');
    expect((await list(ownerId)).activeKeys).toBe(2);
    expect(await outcomeOf(createKey(app, ownerId))).toBe('too_many_active_keys');
  });

  test("keeps the old key's access above the ceiling, and shows the lower one until the ceiling is raised", async () => {
    const ownerId = await ownerWith({});
    const { key } = await createKey(app, ownerId, ALLOWED_WRITING);
    await limit(ownerId, { maxAccess: 'read-only' });
    const rotated = await rotateKey(app, { ownerId, id: key.id });
    expect([rotated.access, rotated.replaced.access]).toEqual(['read-only', 'read-only']);
    expect(rotated.key.snapshot().access).toBe('read-and-write');
    const renamed = await app.changeKeysOfOwner.rename(themselves(ownerId), key.id, { name: 'other' }, client());
    const read = await app.viewKeyOfOwner.find(ownerId, key.id);
    const shown = [renamed, read, ...(await list(ownerId)).items].map(({ access }) => access);
    expect(new Set(shown)).toEqual(new Set(['read-only']));
    const created = eventsOf(app, ownerId, 'api_key.created').map(({ details }) => JSON.parse(details!).access);
    expect(created).toEqual(['read-and-write', 'read-and-write']);
    await limit(ownerId, {});
    expect((await list(ownerId)).items.map(({ access }) => access)).toEqual(['read-and-write', 'read-and-write']);
  });
});

describe('Where no new keys are allowed', () => {
  const NOT_ALLOWED = 'keys_not_allowed';

  test.each<[string, AccountLimits]>([
    ['with keys to spare', { noNewKeys: true }],
    ['above the maximum', { noNewKeys: true, maxActiveKeys: 1 }],
  ])('an account %s can create and rotate nothing, even a leaked key, and can revoke', async (_, limits) => {
    const ownerId = await ownerWith({});
    const [{ key }] = [await createKey(app, ownerId), await createKey(app, ownerId)];
    await limit(ownerId, limits);
    const before = [storedKeys(ownerId), eventsOf(app, ownerId, 'api_key.')];
    expect(await outcomeOf(createKey(app, ownerId))).toBe(NOT_ALLOWED);
    expect(await outcomeOf(rotateKey(app, key))).toBe(NOT_ALLOWED);
    expect(await outcomeOf(rotateKey(app, key, { leaked: true, graceSeconds: undefined }))).toBe(NOT_ALLOWED);
    expect([storedKeys(ownerId), eventsOf(app, ownerId, 'api_key.')]).toEqual(before);
    expect(await outcomeOf(app.changeKeysOfOwner.revoke(themselves(ownerId), key.id, client()))).toBe('ok');
    await limit(ownerId, {});
    expect(await outcomeOf(createKey(app, ownerId))).toBe('ok');
  });

  test('PERSONAL_KEYS=off refuses persons, and leaves service accounts alone', async () => {
    const off = openFakes({ settings: { keyPolicy: { maxActiveKeys: 3, maxKeyDays: 60, personalKeys: false } } });
    const { id: manager } = await newOwner(off);
    const profile = { email: 'team@example.org', displayName: 'Team', permissions: ['systems:read', 'systems:write'] };
    const team = await off.putAccount.execute({ id: 'team', kind: 'service', managers: [manager], ...profile });
    expect(await outcomeOf(createKey(off, manager))).toBe(NOT_ALLOWED);
    const policyOf = async (id: string) => (await off.shownKeys.ofOwner(id, undefined, { limit: 1 })).policy;
    expect(await policyOf(manager)).toMatchObject({ newKeys: false, limitedByAccount: [] });
    expect(await policyOf(team.id)).toMatchObject({ newKeys: true });
    expect(await outcomeOf(createKey(off, team.id, { personId: manager }))).toBe('ok');
  });
});
