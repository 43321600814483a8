import { createSecretKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FIRST_ID, type AuditTrailReading, type AuditTrailTransaction } from '#application/audit-ports.js';
import { type AuditPruning, recordPruning, type AuditSeal, sealEvents } from '#domain/audit/audit-seal.js';
import { DAY_MS } from '#domain/time.js';
import { client, times } from '../support/application/calls.js';
import { newAccount, type World } from './support/world.js';
import { openPostgresWorld } from './support/postgres-world.js';

const KEY = createSecretKey(Buffer.alloc(32, 0x5e));
const UNDONE = new Error('undone');
const KEY_ID = '11111111-2222-4333-8444-555555555555';
const CHANGE = { type: 'api_key.created', keyId: KEY_ID, actorId: null, client: client() } as const;
const DIGEST = { eventCount: 2, eventsMac: Buffer.alloc(32, 7) };

async function all<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of sequence) found.push(one);
  return found;
}

describe('AuditTrail on PostgreSQL', () => {
  let world: World;
  // Each test has an audit trail of its own.
  beforeEach(async () => {
    world = await openPostgresWorld();
  });
  afterEach(() => world?.close());

  const exclusively = <T>(work: (transaction: AuditTrailTransaction) => Promise<T>) =>
    world.auditTrail.exclusively(work);
  const read = <T>(work: (reading: AuditTrailReading) => Promise<T>) => world.auditTrail.read(work);
  /** Records separate events with the ids 1, 2, 3 … */
  const record = async (count: number) => {
    for (let made = 0; made < count; made += 1) {
      const target = { ownerId: 'Zoë', keyId: null, publicPart: null };
      await world.audit.recordFailure({ reason: 'invalid-key', client: client(), ...target });
    }
  };
  const ids = async () => (await read((reading) => all(reading.events(FIRST_ID)))).map(({ id }) => Number(id));
  const sealUpTo = (toEventId: bigint) =>
    exclusively(async (transaction) => {
      const seal = sealEvents(KEY, await transaction.newestSeal(), toEventId, DIGEST, transaction.now);
      await transaction.addSeal(seal);
      return seal;
    });
  const pruneUpTo = (seal: AuditSeal) =>
    exclusively(async (transaction) => {
      const pruning = recordPruning(KEY, await transaction.lastPruningId(), seal, transaction.now);
      return { pruning, pruned: await transaction.prune(pruning) };
    });

  test('has nothing while it is empty', async () => {
    const look = async (reading: AuditTrailReading) => [
      await reading.newestSeal(),
      await all(reading.seals(FIRST_ID)),
      await all(reading.events(FIRST_ID)),
      await reading.prunings(),
      await reading.newestEventId(),
    ];
    expect(await read(look)).toEqual([undefined, [], [], [], 0n]);
    expect(await exclusively(look)).toEqual([undefined, [], [], [], 0n]);
    expect(await exclusively(async (t) => [await t.lastPruningId(), await t.writers()])).toEqual([0n, []]);
    expect(await world.auditTrail.unsealedEvents()).toBe(0);
  });

  test('has every column of an event and of a failure', async () => {
    const ownerId = await newAccount(world);
    const keyId = KEY_ID;
    const from = { ip: '2001:db8::1', userAgent: 'Ünïcode "agent"', requestId: 'r-1' };
    const at = await world.now();
    const details = { access: 'read-only', publicPart: 'a1', digest: 'b2', expiresAt: 'later' } as const;
    await world.accounts.transaction(ownerId, (transaction) =>
      transaction.record({ type: 'api_key.created', keyId, actorId: 'admin:ada', client: from, details }),
    );
    const publicPart = 'a1'.repeat(12);
    const failure = { reason: 'revoked', client: from, ownerId, keyId, publicPart } as const;
    await Promise.all(times(2, () => world.audit.recordFailure(failure)));
    const common = { ownerId, keyId, clientIp: from.ip, userAgent: from.userAgent, requestId: from.requestId };
    const expected = [
      {
        id: 1n,
        at,
        type: 'api_key.created',
        actorId: 'admin:ada',
        reason: null,
        count: 1,
        publicPart: null,
        details: JSON.stringify(details),
        ...common,
      },
      {
        id: 2n,
        at: expect.any(Date),
        type: 'authentication.failed',
        actorId: null,
        reason: 'revoked',
        count: 2,
        publicPart,
        details: null,
        ...common,
      },
    ];
    expect(await all(world.auditTrail.events({}))).toEqual(expected);
    expect(await read((reading) => all(reading.events(FIRST_ID)))).toEqual(expected);
    expect(await exclusively((transaction) => all(transaction.events(2n)))).toEqual([expected[1]]);
  });

  test('has the events of a time span, including its beginning and excluding its end', async () => {
    const id = await newAccount(world);
    const begun = (await world.now()).getTime();
    for (let made = 0; made < 4; made += 1) {
      await world.accounts.transaction(id, (transaction) => transaction.record(CHANGE));
      await world.pass(DAY_MS);
    }
    const day = (n: number) => new Date(begun + n * DAY_MS);
    const idsOf = async (span: { since?: Date; until?: Date }) =>
      (await all(world.auditTrail.events(span))).map(({ id }) => Number(id));
    expect(await idsOf({})).toEqual([1, 2, 3, 4]);
    expect(await idsOf({ since: day(1) })).toEqual([2, 3, 4]);
    expect(await idsOf({ until: day(1) })).toEqual([1]);
    expect(await idsOf({ since: day(1), until: day(3) })).toEqual([2, 3]);
    expect(await idsOf({ since: day(9) })).toEqual([]);
  });

  test('has an upper bound of the unsealed events, which counts lost ids', async () => {
    await record(3);
    expect(await world.auditTrail.unsealedEvents()).toBe(3);
    await sealUpTo(2n);
    expect(await world.auditTrail.unsealedEvents()).toBe(1);
    const id = await newAccount(world);
    const lost = world.accounts.transaction(id, async (transaction) => {
      await transaction.record(CHANGE);
      throw UNDONE;
    });
    await expect(lost).rejects.toBe(UNDONE);
    await record(1);
    expect([await world.auditTrail.unsealedEvents(), await ids()]).toEqual([3, [1, 2, 3, 5]]);
    await sealUpTo(9n);
    expect(await world.auditTrail.unsealedEvents()).toBe(0);
  });

  describe('a transaction', () => {
    test('keeps its seals unchanged, in the order of their ids', async () => {
      await record(4);
      const [one, two] = [await sealUpTo(2n), await sealUpTo(4n)];
      expect(one).toMatchObject({ id: 1n, fromEventId: 1n, sealedAt: await world.now() });
      const look = async (reading: AuditTrailReading) => [
        await all(reading.seals(FIRST_ID)),
        await reading.newestSeal(),
      ];
      expect(await read(look)).toEqual([[one, two], two]);
      expect(await exclusively(look)).toEqual([[one, two], two]);
      expect(await read((reading) => all(reading.seals(2n)))).toEqual([two]);
    });

    test('stores nothing when its work throws, and throws the same error', async () => {
      await record(2);
      const seal = (await sealUpTo(2n))!;
      const undone = exclusively(async (transaction) => {
        await transaction.addSeal(sealEvents(KEY, seal, 3n, DIGEST, transaction.now));
        await transaction.prune(recordPruning(KEY, 0n, seal, transaction.now));
        expect([(await transaction.newestSeal())?.id, (await transaction.prunings()).length]).toEqual([2n, 1]);
        expect(await all(transaction.events(FIRST_ID))).toEqual([]);
        throw UNDONE;
      });
      await expect(undone).rejects.toBe(UNDONE);
      expect(await ids()).toEqual([1, 2]);
      expect(await read(async (reading) => [(await reading.newestSeal())?.id, await reading.prunings()])).toEqual([
        1n,
        [],
      ]);
    });

    test('excludes a concurrent one, but not a later one', async () => {
      await exclusively(async () => {
        expect(await exclusively(async () => 'done')).toBeUndefined();
      });
      expect(await exclusively(async () => 'done')).toBe('done');
      await expect(exclusively(() => Promise.reject(UNDONE))).rejects.toBe(UNDONE);
      expect(await exclusively(async () => 'done')).toBe('done');
    });

    test('sees what others commit in the meantime', async () => {
      await exclusively(async (transaction) => {
        await record(1);
        expect(await transaction.newestEventId()).toBe(1n);
        expect(await all(transaction.events(FIRST_ID))).toHaveLength(1);
      });
    });

    test('names the open transactions that have an event id, each by its own name', async () => {
      const writers = () => exclusively((transaction) => transaction.writers());
      const write = async (work: () => Promise<unknown>) => {
        const ownerId = await newAccount(world);
        return world.accounts.transaction(ownerId, async (transaction) => {
          await transaction.record(CHANGE);
          return work();
        });
      };
      let [first, both]: (string[] | undefined)[] = [];
      const undone = write(async () => {
        first = await writers();
        await write(async () => void (both = await writers()));
        expect(await writers()).toEqual(first);
        throw UNDONE;
      });
      await expect(undone).rejects.toBe(UNDONE);
      expect([first!.length, new Set(both!).size]).toEqual([1, 2]);
      expect(both).toContain(first![0]);
      expect(await writers()).toEqual([]);
    });
  });

  describe('a pruning', () => {
    test('deletes the events up to the end of its seal, returns how many, and is recorded; the seals stay', async () => {
      await record(5);
      const seals = [(await sealUpTo(2n))!, (await sealUpTo(4n))!];
      const one = (await pruneUpTo(seals[0]!))!;
      expect([one.pruned, await ids()]).toEqual([2, [3, 4, 5]]);
      await world.pass(1000);
      const two = (await pruneUpTo(seals[1]!))!;
      expect([two.pruned, await ids()]).toEqual([2, [5]]);
      expect(two.pruning).toMatchObject({ id: 2n, prunedAt: await world.now() });
      const prunings: AuditPruning[] = await read((reading) => reading.prunings());
      expect(prunings).toEqual([one.pruning, two.pruning]);
      expect(await exclusively((transaction) => transaction.prunings())).toEqual(prunings);
      expect(await read((reading) => all(reading.seals(FIRST_ID)))).toEqual(seals);
      expect(await exclusively((transaction) => transaction.lastPruningId())).toBe(2n);
    });

    test('deletes unsealed events by age, oldest first and without a gap, and proves nothing', async () => {
      const id = await newAccount(world);
      const made = async (days: number) => {
        await world.pass(days * DAY_MS);
        await world.accounts.transaction(id, (transaction) => transaction.record(CHANGE));
      };
      // The fourth event is as old as the first: a clock was set back.
      for (const days of [0, 0, 30, -30, 30]) await made(days);
      const before = new Date((await world.now()).getTime() - 10 * DAY_MS);
      const prune = (limit: number) => exclusively((transaction) => transaction.pruneUnsealed(before, limit));
      expect([await prune(1), await ids()]).toEqual([1, [2, 3, 4, 5]]);
      expect([await prune(10), await ids()]).toEqual([1, [3, 4, 5]]);
      expect([await prune(10), await ids()]).toEqual([0, [3, 4, 5]]);
      expect(await read((reading) => reading.prunings())).toEqual([]);
      expect(await exclusively((transaction) => transaction.lastPruningId())).toBe(2n);
      const all = exclusively((transaction) => transaction.pruneUnsealed(new Date('2126-01-01'), 10));
      expect([await all, await ids()]).toEqual([3, []]);
    });
  });

  test('reads one snapshot, whatever is written in the meantime', async () => {
    await record(2);
    const seal = (await sealUpTo(2n))!;
    await read(async (reading) => {
      expect(await reading.newestEventId()).toBe(2n);
      await record(1);
      await sealUpTo(3n);
      await pruneUpTo(seal);
      expect((await all(reading.events(FIRST_ID))).map(({ id }) => id)).toEqual([1n, 2n]);
      expect([await all(reading.seals(FIRST_ID)), await reading.prunings()]).toEqual([[seal], []]);
      expect([await reading.newestSeal(), await reading.newestEventId()]).toEqual([seal, 2n]);
      expect(reading.now).toEqual(await world.now());
    });
    expect(await ids()).toEqual([3]);
  });
});
