import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sessionOpened } from '#application/sessions/sign-in.js';
import {
  accountActor,
  type Actor,
  type FailedAuthentication,
  OWNER_EVENT_TYPES,
  type OwnerEventType,
  THE_SERVICE,
} from '#domain/audit/audit-event.js';
import type { EventSearch } from '#application/audit-ports.js';
import { client, times } from '../support/application/calls.js';
import { eventsOf, newAccount, newKey, purge, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const ALL = { types: OWNER_EVENT_TYPES };

describe.each(WORLDS)('Audit %s', (_name, open, onPostgres) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const failure = (ownerId: string, part: Partial<FailedAuthentication> = {}): FailedAuthentication => ({
    reason: 'invalid-key',
    client: client(),
    ownerId,
    keyId: null,
    publicPart: null,
    ...part,
  });

  test('records a failure before it resolves, with its client and its target', async () => {
    const ownerId = randomUUID();
    const keyId = randomUUID();
    const from = client('198.51.100.7');
    await world.audit.recordFailure(
      failure(ownerId, { reason: 'revoked', keyId, publicPart: 'a1'.repeat(12), client: from }),
    );
    expect(await eventsOf(world, ownerId)).toEqual([
      {
        id: expect.any(String),
        type: 'authentication.failed',
        at: expect.any(Date),
        keyId,
        reason: 'revoked',
        count: 1,
        clientIp: from.ip,
        userAgent: from.userAgent,
        requestId: from.requestId,
        leak: null,
        previousName: null,
        note: null,
        actor: null,
      },
    ]);
  });

  if (onPostgres) {
    test('records similar failures that arrive together as one event with their number', async () => {
      const ownerId = randomUUID();
      await Promise.all([
        ...times(5, () => world.audit.recordFailure(failure(ownerId))),
        world.audit.recordFailure(failure(ownerId, { reason: 'expired' })),
        world.audit.recordFailure(failure(ownerId, { client: client('203.0.113.9') })),
      ]);
      const recorded = await eventsOf(world, ownerId);
      const counts = recorded.map(({ reason, clientIp, count }) => [reason, clientIp, count]);
      expect(counts.sort()).toEqual([
        ['expired', '192.0.2.1', 1],
        ['invalid-key', '192.0.2.1', 5],
        ['invalid-key', '203.0.113.9', 1],
      ]);
    });
  }

  describe('a list', () => {
    async function ownerWithEvents(count: number): Promise<string> {
      const ownerId = randomUUID();
      for (let made = 0; made < count; made += 1) {
        await world.audit.recordFailure(failure(ownerId, { client: client(`192.0.2.${made}`) }));
        await world.audit.recordFailure(failure(randomUUID()));
      }
      return ownerId;
    }

    test('has the owner’s events, newest first', async () => {
      const { items, nextCursor } = await world.audit.list(await ownerWithEvents(3), ALL, { limit: 50 });
      expect(items.map(({ clientIp }) => clientIp)).toEqual(['192.0.2.2', '192.0.2.1', '192.0.2.0']);
      expect(nextCursor).toBeNull();
      expect(await world.audit.list('nobody', ALL, { limit: 50 })).toEqual({ items: [], nextCursor: null });
    });

    test.each([1, 2, 3, 4, 5])('has each event once with %i events in a page', async (limit) => {
      const ownerId = await ownerWithEvents(4);
      const all = (await world.audit.list(ownerId, ALL, { limit: 50 })).items;
      const seen: unknown[] = [];
      let pages = 0;
      for (let cursor: string | undefined; pages === 0 || cursor; pages += 1) {
        const page = await world.audit.list(ownerId, ALL, { limit, cursor });
        seen.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      }
      expect([seen, pages]).toEqual([all, Math.ceil(4 / limit)]);
    });

    describe('of some types', () => {
      /** Oldest first: a creation between failures, and a revocation at the end. */
      async function buriedCreation(): Promise<string> {
        const ownerId = await newAccount(world);
        const change = (type: 'api_key.created' | 'api_key.revoked') =>
          world.accounts.transaction(ownerId, (transaction) =>
            transaction.record({ type, keyId: randomUUID(), actorId: ownerId, client: client() }),
          );
        const fail = async (count: number) => {
          for (let n = 0; n < count; n += 1) await world.audit.recordFailure(failure(ownerId));
        };
        await change('api_key.created');
        await fail(3);
        await change('api_key.created');
        await fail(3);
        await change('api_key.revoked');
        return ownerId;
      }

      test('has only those types', async () => {
        const ownerId = await buriedCreation();
        const typesOf = async (...types: OwnerEventType[]) =>
          (await world.audit.list(ownerId, { types }, { limit: 50 })).items.map(({ type }) => type);
        expect(await typesOf('api_key.created')).toEqual(['api_key.created', 'api_key.created']);
        expect(await typesOf('api_key.created', 'api_key.revoked', 'api_key.expired')).toEqual([
          'api_key.revoked',
          'api_key.created',
          'api_key.created',
        ]);
        expect(await typesOf('authentication.failed')).toEqual(times(6, () => 'authentication.failed'));
        expect(await typesOf('api_key.revoked', 'authentication.failed')).toHaveLength(7);
        expect(await typesOf('api_key.expired')).toEqual([]);
      });

      test.each([1, 2, 3])('has pages of %i, and accepts the cursor of another filter', async (limit) => {
        const ownerId = await buriedCreation();
        const types = ['api_key.created', 'api_key.revoked'] as const;
        const seen: unknown[] = [];
        let cursor: string | undefined;
        do {
          const page = await world.audit.list(ownerId, { types }, { limit, cursor });
          seen.push(...page.items.map(({ type }) => type));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(seen).toEqual(['api_key.revoked', 'api_key.created', 'api_key.created']);
        const { nextCursor } = await world.audit.list(ownerId, ALL, { limit: 2 });
        const rest = await world.audit.list(ownerId, { types: ['api_key.created'] }, { limit: 5, cursor: nextCursor! });
        expect(rest.items).toHaveLength(2);
      });
    });

    test('names an account only for what the account did, whatever its id', async () => {
      const reader = await newAccount(world);
      const id = await newAccount(world, { email: `${randomUUID()}@example.org` }, `service:${randomUUID()}`);
      const by = (actor: Actor) =>
        world.accounts.transaction(reader, (transaction) =>
          transaction.record({ type: 'api_key.created', keyId: randomUUID(), ...actor }),
        );
      await by({ actorId: id, actorKind: 'service', client: client() });
      await by({ actorId: id, actorKind: 'administrator', client: client() });
      // As releases up to 0.2.0 recorded it.
      await by({ actorId: id, client: client() });
      await by(accountActor(id, client()));
      await by(accountActor(reader, client()));
      const { items } = await world.audit.list(reader, { types: ['api_key.created'] }, { limit: 9 });
      expect(items.map(({ actor }) => actor?.id ?? null)).toEqual([reader, id, null, null, null]);
      await world.sessions.begin({ accountId: id, event: sessionOpened(id, client()) });
      expect(await eventsOf(world, id, ['session.opened'])).toMatchObject([{ type: 'session.opened', actor: { id } }]);
    });

    test('has only the events of one key, of the requested types, page by page', async () => {
      const ownerId = await newAccount(world);
      const keyId = randomUUID();
      const record = { type: 'api_key.created', keyId, actorId: ownerId, client: client() } as const;
      await world.accounts.transaction(ownerId, (transaction) => transaction.record(record));
      for (const each of [keyId, randomUUID(), null, keyId]) {
        await world.audit.recordFailure(failure(ownerId, { keyId: each }));
      }
      await world.audit.recordFailure(failure(randomUUID(), { keyId }));
      const filter = { ...ALL, keyId };
      const first = await world.audit.list(ownerId, filter, { limit: 2 });
      const second = await world.audit.list(ownerId, filter, { limit: 2, cursor: first.nextCursor! });
      const failed = { type: 'authentication.failed', keyId };
      expect([first.items, second.items]).toMatchObject([[failed, failed], [{ type: 'api_key.created', keyId }]]);
      expect(second.nextCursor).toBeNull();
      const failures = { types: ['authentication.failed'], keyId } as const;
      expect((await world.audit.list(ownerId, failures, { limit: 5 })).items).toHaveLength(2);
    });

    test.each(['', 'x', Buffer.from('["1; DROP TABLE accounts"]').toString('base64url')])(
      'refuses the cursor %j',
      async (cursor) => {
        await expect(world.audit.list(randomUUID(), ALL, { limit: 5, cursor })).rejects.toMatchObject({
          code: 'invalid_fields',
          details: { errors: [{ field: 'cursor', message: 'must be a nextCursor of this list' }] },
        });
      },
    );
  });

  describe('a search of administrators', () => {
    const record = (ownerId: string, actor: Actor, keyId: string = randomUUID()) =>
      world.accounts.transaction(ownerId, (transaction) =>
        transaction.record({ type: 'api_key.renamed', keyId, ...actor }),
      );
    const found = async (search: EventSearch) => (await world.audit.search(search, { limit: 50 })).items;

    if (onPostgres) {
      test('finds what one actor did to any account, with the account, the actor and the name of the key', async () => {
        const [reader, other] = [await newAccount(world), await newAccount(world)];
        const by = accountActor(reader, client());
        const key = await newKey(world, other);
        await record(reader, by);
        await record(other, by, key.id);
        await record(other, accountActor(other, client()));
        const service = `service:${randomUUID()}`;
        await record(other, { actorId: service, actorKind: 'service', client: client() });
        const { name } = key.snapshot();
        expect(await found({ actorId: reader })).toMatchObject([
          {
            account: { id: other },
            actorId: reader,
            actor: { id: reader },
            keyId: key.id,
            keyName: name,
            viewed: null,
          },
          { account: { id: reader }, actorId: reader, actor: { id: reader }, keyName: null },
        ]);
        expect(await found({ actorId: reader, ownerId: other })).toHaveLength(1);
        expect(await found({ actorId: service })).toMatchObject([
          { account: { id: other }, actorId: service, actor: null },
        ]);
        expect(await found({ actorId: randomUUID() })).toEqual([]);
      });

      test('finds events by account, key, type and time, and by all of them together, page by page', async () => {
        const ownerId = await newAccount(world);
        const keyId = randomUUID();
        await record(ownerId, THE_SERVICE, keyId);
        await world.audit.recordFailure(failure(ownerId, { keyId }));
        await record(ownerId, THE_SERVICE);
        const all = await found({ ownerId });
        const types = all.map(({ type }) => type);
        expect(types.slice(0, 3)).toEqual(['api_key.renamed', 'authentication.failed', 'api_key.renamed']);
        const failures = ['authentication.failed'] as const;
        expect(await found({ keyId })).toEqual(all.slice(1, 3));
        expect(await found({ ownerId, types: failures })).toEqual([all[1]]);
        expect(await found({ keyId, types: ['api_key.renamed'] })).toEqual([all[2]]);
        const { at } = all[1]!;
        const after = new Date(at.getTime() + 1);
        expect(await found({ ownerId, keyId, types: failures, since: at, until: after })).toEqual([all[1]]);
        expect(await found({ keyId, types: failures, since: after })).toEqual([]);
        expect(await found({ keyId, types: failures, until: at })).toEqual([]);
        const first = await world.audit.search({ ownerId }, { limit: 2 });
        const second = await world.audit.search({ ownerId }, { limit: 48, cursor: first.nextCursor! });
        expect([...first.items, ...second.items]).toEqual(all);
        await expect(world.audit.search({}, { limit: 5, cursor: 'x' })).rejects.toMatchObject({
          code: 'invalid_fields',
        });
      });
    }

    test('has the events of all accounts, and those that belong to no account', async () => {
      const recorded = [failure(randomUUID()), { ...failure(''), ownerId: null }];
      for (const each of recorded) await world.audit.recordFailure(each);
      const [newest, before] = await found({ types: ['authentication.failed'] });
      expect([newest!.account, before!.account]).toEqual([null, { id: recorded[0]!.ownerId, displayName: '' }]);
    });

    if (onPostgres) {
      test('keeps the events of a purged account, without its name', async () => {
        const ownerId = await newAccount(world, { displayName: 'Ada' });
        const key = await newKey(world, ownerId);
        await record(ownerId, accountActor(ownerId, client()), key.id);
        const named = { account: { id: ownerId, displayName: 'Ada' }, keyName: key.snapshot().name };
        expect(await found({ ownerId, keyId: key.id })).toMatchObject([named]);
        await purge(world, ownerId);
        const unnamed = { actorId: ownerId, account: { id: ownerId, displayName: '' }, keyName: null };
        expect(await found({ keyId: key.id, types: ['api_key.renamed'] })).toMatchObject([unnamed]);
        await newAccount(world, { displayName: 'Somebody else' }, ownerId);
        expect(await found({ keyId: key.id, types: ['api_key.renamed'] })).toMatchObject([unnamed]);
      });
    }
  });
});
