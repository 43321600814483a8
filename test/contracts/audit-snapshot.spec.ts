import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { saveAccount } from '#application/accounts/change-account.js';
import type { HistoryItem } from '#application/audit-ports.js';
import { saveKeys } from '#application/keys/change-keys.js';
import { Account } from '#domain/accounts/account.js';
import { THE_SERVICE } from '#domain/audit/audit-event.js';
import { fixedFacts } from '#domain/audit/event-details.js';
import { KeyString } from '#domain/keys/key-string.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { DAY_MS } from '#domain/time.js';
import { client, POLICY } from '../support/application/calls.js';
import { newAccount, newKey, purge, type World } from './support/world.js';
import { openPostgresWorld } from './support/postgres-world.js';

async function of<T>(items: AsyncIterable<HistoryItem<T>>, id: string): Promise<HistoryItem<T>[]> {
  const found: HistoryItem<T>[] = [];
  let [last, changes] = ['', 0];
  for await (const each of items) {
    if (each.id === id) found.push(each);
    if (each.id !== last && (each.id === id || last === id)) changes += 1;
    last = each.id;
  }
  // All events of a key or account come in a row.
  expect(changes).toBeLessThanOrEqual(2);
  return found;
}

describe('AuditTrailSnapshot on PostgreSQL', () => {
  let world: World;
  beforeAll(async () => {
    world = await openPostgresWorld();
  });
  afterAll(() => world?.close());

  const historyOfKey = (id: string) => world.auditTrail.read((snapshot) => of(snapshot.keys(), id));
  const historyOfAccount = (id: string) => world.auditTrail.read((snapshot) => of(snapshot.accounts(), id));

  /** With the event of its creation and no other. */
  const issue = async (ownerId: string) =>
    world.accounts.transaction(ownerId, async (transaction) => {
      const keys = new OwnerKeys(await transaction.openKeys());
      const order = { id: crypto.randomUUID(), ownerId, name: 'CI', access: 'read-only', expiresInDays: 9 } as const;
      const key = keys.issue({ ...order, policy: POLICY }, KeyString.generate('lk'), transaction.now);
      if (key instanceof Error) throw key;
      await saveKeys(transaction, { keys, actor: THE_SERVICE });
      return key;
    });

  test('has each key with all of its events, in their order, without failures', async () => {
    const ownerId = await newAccount(world);
    const key = await issue(ownerId);
    await issue(ownerId);
    await world.accounts.transaction(ownerId, async (transaction) => {
      const keys = new OwnerKeys(await transaction.openKeys());
      keys.revoke(key.id, 'owner', transaction.now);
      await saveKeys(transaction, { keys, actor: THE_SERVICE });
    });
    const failure = { reason: 'revoked', client: client(), ownerId, keyId: key.id, publicPart: null } as const;
    await world.audit.recordFailure(failure);
    const { id, name, note, access, publicPart, digest, createdAt, expiresAt } = key.snapshot();
    const ends = { revokedAt: await world.now(), expiredAt: null };
    const stored = { ownerId, name, note, access, publicPart, digest, createdAt, expiresAt, ...ends };
    const event = { id: expect.any(BigInt), ownerId };
    const facts = JSON.stringify(fixedFacts(key));
    const history = await historyOfKey(id);
    expect(history).toMatchObject([
      { id, stored, event: { ...event, type: 'api_key.created', details: facts } },
      { id, stored, event: { ...event, type: 'api_key.revoked', details: null } },
    ]);
    expect(history[0]!.event!.id < history[1]!.event!.id).toBe(true);
  });

  test('has a key without events once, and the events of a key that does not exist', async () => {
    const ownerId = await newAccount(world);
    const { id } = await newKey(world, ownerId);
    expect(await historyOfKey(id)).toMatchObject([{ id, stored: { ownerId }, event: undefined }]);
    const deletedId = crypto.randomUUID();
    await world.accounts.transaction(ownerId, (transaction) =>
      transaction.record({ type: 'api_key.expired', keyId: deletedId, actorId: null, client: client() }),
    );
    expect(await historyOfKey(deletedId)).toMatchObject([
      { id: deletedId, stored: undefined, event: { type: 'api_key.expired' } },
    ]);
  });

  test('has each account with its own events, without those of its keys and sign-ins', async () => {
    const id = `u-${crypto.randomUUID()}`;
    const terms = { limits: { burst: 3 }, attributes: [{ name: 'tenant', value: 'acme' }] };
    const profile = { email: `${id}@example.org`, displayName: 'Ada', permissions: ['a:read'], ...terms };
    await world.accounts.transaction(id, (transaction) =>
      saveAccount(transaction, Account.open(id, profile), THE_SERVICE),
    );
    await issue(id);
    await world.accounts.transaction(id, async (transaction) => {
      transaction.account!.suspend();
      await saveAccount(transaction, transaction.account!, THE_SERVICE);
    });
    const stored = { permissions: ['a:read'], status: 'suspended', ...terms };
    const details = JSON.stringify({
      permissions: { before: [], after: ['a:read'] },
      limits: { before: {}, after: terms.limits },
      attributes: { before: [], after: terms.attributes },
    });
    expect(await historyOfAccount(id)).toMatchObject([
      { stored, event: { type: 'account.created', details } },
      { stored, event: { type: 'account.suspended', details: null } },
    ]);
  });

  test('has an account without events once, and a purged one as deleted, without anything that it was given', async () => {
    const terms = { limits: { burst: 3 }, attributes: [{ name: 'tenant', value: 'acme' }] };
    const id = await newAccount(world, terms);
    const stored = { permissions: ['systems:read'], status: 'active', ...terms };
    expect(await historyOfAccount(id)).toMatchObject([{ stored, event: undefined }]);
    await purge(world, id);
    const nothing = { permissions: [], limits: {}, attributes: [], status: 'deleted' };
    expect(await historyOfAccount(id)).toMatchObject([{ stored: nothing }]);
  });

  test('has the time of the last pruning without a seal key', async () => {
    const prunedAt = () => world.auditTrail.read((snapshot) => snapshot.prunedUnsealedAt());
    expect(await prunedAt()).toBeUndefined();
    for (let times = 0; times < 2; times += 1) {
      await world.audit.recordFailure({
        reason: 'revoked',
        client: client(),
        ownerId: null,
        keyId: null,
        publicPart: null,
      });
      await world.pass(DAY_MS);
      await world.auditTrail.exclusively((transaction) => transaction.pruneUnsealed(transaction.now, 100));
      expect(await prunedAt()).toEqual(await world.now());
    }
  });
});
