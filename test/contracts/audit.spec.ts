import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FailedAuthentication } from '../../src/domain/audit/audit-event.js';
import { client, times } from '../support/calls.js';
import { eventsOf, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('Audit %s', (_name, open) => {
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

  test('has a failure on record once it is answered, with its client and its target', async () => {
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
      },
    ]);
  });

  test('has those alike that arrive together in one event with their number, and others in their own', async () => {
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

  describe('a list', () => {
    async function ownerWithEvents(count: number): Promise<string> {
      const ownerId = randomUUID();
      for (let made = 0; made < count; made += 1) {
        await world.audit.recordFailure(failure(ownerId, { client: client(`192.0.2.${made}`) }));
        await world.audit.recordFailure(failure(randomUUID()));
      }
      return ownerId;
    }

    test('has the owner’s own, newest first', async () => {
      const { items, nextCursor } = await world.audit.list(await ownerWithEvents(3), { limit: 50 });
      expect(items.map(({ clientIp }) => clientIp)).toEqual(['192.0.2.2', '192.0.2.1', '192.0.2.0']);
      expect(nextCursor).toBeNull();
      expect(await world.audit.list('nobody', { limit: 50 })).toEqual({ items: [], nextCursor: null });
    });

    test.each([1, 2, 3, 4, 5])('has %i on a page, and on its pages each event once', async (limit) => {
      const ownerId = await ownerWithEvents(4);
      const all = (await world.audit.list(ownerId, { limit: 50 })).items;
      const seen: unknown[] = [];
      let pages = 0;
      for (let cursor: string | undefined; pages === 0 || cursor; pages += 1) {
        const page = await world.audit.list(ownerId, { limit, cursor });
        seen.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      }
      expect([seen, pages]).toEqual([all, Math.ceil(4 / limit)]);
    });

    test.each(['', 'x', Buffer.from('["1; DROP TABLE accounts"]').toString('base64url')])(
      'refuses the cursor %j',
      async (cursor) => {
        await expect(world.audit.list(randomUUID(), { limit: 5, cursor })).rejects.toMatchObject({
          code: 'invalid_fields',
          details: { errors: [{ field: 'cursor', message: 'must be a nextCursor of this list' }] },
        });
      },
    );
  });
});
