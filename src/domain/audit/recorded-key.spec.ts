import { describe, expect, test } from '@jest/globals';
import { UNTOUCHED } from '../keys/key-state.js';
import { DAY_MS, HOUR_MS } from '../time.js';
import { RecordedKey } from './recorded-key.js';
import type { HistoryEvent } from './event-details.js';
import { rotationProblems, type StoredKey, type StoredPredecessor } from './recorded-rotation.js';

const CREATED_AT = new Date('2026-05-01T12:00:00.000Z');
const KEY: StoredKey = {
  ...UNTOUCHED,
  id: 'key',
  keyPrefix: 'lk',
  replaced: undefined,
  ownerId: 'ada',
  name: 'CI',
  note: null,
  access: 'read-only',
  publicPart: 'a1'.repeat(12),
  digest: Buffer.alloc(32, 7),
  createdAt: CREATED_AT,
  expiresAt: new Date(CREATED_AT.valueOf() + 365 * DAY_MS),
};

describe('RecordedKey', () => {
  const LATER = new Date('2026-06-01T12:00:00.000Z');
  const FACTS = {
    access: 'read-only',
    publicPart: KEY.publicPart,
    digest: KEY.digest.toString('hex'),
    expiresAt: KEY.expiresAt.toISOString(),
  };

  let lastId = 0n;
  const event = (
    became: string,
    details: object | string | null = null,
    ownerId = 'ada',
    actorId: string | null = null,
  ): HistoryEvent => ({
    id: (lastId += 1n),
    type: `api_key.${became}`,
    ownerId,
    actorId,
    reason: null,
    details: typeof details === 'object' && details !== null ? JSON.stringify(details) : details,
  });
  function differences(stored: StoredKey | undefined, events: readonly HistoryEvent[], prunedUpTo?: Date): string[] {
    const recorded = new RecordedKey(stored);
    for (const each of events) recorded.add(each);
    // Replaces the ids of the events, which count up over all tests.
    return recorded.differences(prunedUpTo, LATER).map((problem) => problem.replace(/event \d+/g, 'event n'));
  }

  test('matches the key that its events describe: active, revoked or expired', () => {
    const created = event('created', FACTS);
    expect(differences(KEY, [created])).toEqual([]);
    expect(differences({ ...KEY, revokedAt: LATER }, [created, event('revoked')])).toEqual([]);
    expect(differences({ ...KEY, expiredAt: LATER }, [created, event('expired')])).toEqual([]);
  });

  test.each<[Partial<StoredKey>, string]>([
    [{ access: 'read-and-write' }, 'is read-and-write; event n created it as read-only'],
    [{ ownerId: 'eve' }, 'belongs to eve; event n created it for ada'],
    [{ publicPart: 'b2'.repeat(12) }, 'has another secret than event n created it with'],
    [{ digest: Buffer.alloc(32) }, 'has another secret than event n created it with'],
    [
      { expiresAt: LATER },
      `expires at ${LATER.toISOString()}; event n created it until ${KEY.expiresAt.toISOString()}`,
    ],
    [{ revokedAt: LATER }, 'is revoked, but no event revoked it'],
    [{ expiredAt: LATER }, 'is expired, but it expired by no event'],
  ])('names the changed part: %j', (change, problem) => {
    expect(differences({ ...KEY, ...change }, [event('created', FACTS)])).toEqual([problem]);
  });

  test.each([
    ['revoked', 'is not revoked, although event n revoked it'],
    ['expired', 'has not ended, although it expired by event n'],
  ])('finds a key that was %s and has no end', (end, problem) => {
    expect(differences(KEY, [event('created', FACTS), event(end)])).toEqual([problem]);
  });

  test('compares the name and the note with the last event that gave them', () => {
    const events = [
      event('created', FACTS),
      event('renamed', { name: 'Release', note: 'Deploys', previousName: 'CI', previousNote: null }),
      event('renamed', { name: 'Old laptop', note: null, previousName: 'Release', previousNote: 'Deploys' }),
    ];
    expect(differences({ ...KEY, name: 'Old laptop' }, events)).toEqual([]);
    expect(differences({ ...KEY, name: 'Release', note: 'Deploys' }, events)).toEqual([
      'has another name than event n gave it',
      'has another note than event n gave it',
    ]);
    expect(differences(KEY, [event('created', FACTS), event('renamed')])).toEqual([]);
  });

  test.each<[string | null, string | null, string | undefined]>([
    [null, null, undefined],
    ['bob', null, undefined],
    [null, 'ada', undefined],
    ['ada', 'ada', undefined],
    ['bob', 'bob', undefined],
    [null, 'bob', 'was made by its owner; event n created it by bob'],
    ['eve', 'bob', 'was made by eve; event n created it by bob'],
    ['eve', 'ada', 'was made by eve; event n created it by ada'],
  ])('compares the maker %j of a key with the actor of its creation, %j', (createdBy, actorId, problem) => {
    const created = event('created', FACTS, 'ada', actorId);
    expect(differences({ ...KEY, createdBy }, [created])).toEqual(problem ? [problem] : []);
  });

  test.each([
    ['service', 'was made by its owner; event n created it by the service service:a'],
    ['administrator', 'was made by its owner; event n created it by the administrator service:a'],
    ['account', undefined],
    // As releases up to 0.2.0 recorded it.
    [undefined, undefined],
  ])('takes nobody but an account for the maker: %s', (actorKind, problem) => {
    const created = event('created', { ...FACTS, actorKind }, 'service:a', 'service:a');
    expect(differences({ ...KEY, ownerId: 'service:a' }, [created])).toEqual(problem ? [problem] : []);
  });

  test('finds a revoked key that is stored as expired', () => {
    const expired = { ...KEY, expiredAt: LATER };
    expect(differences(expired, [event('created', FACTS), event('revoked'), event('expired')])).toEqual([
      'is not revoked, although event n revoked it',
    ]);
  });

  test('finds a key that is not stored any more, and one without a creation', () => {
    expect(differences(undefined, [event('created', FACTS)])).toEqual(['has events, but is not stored any more']);
    expect(differences(KEY, [])).toEqual(['has no event that created it']);
  });

  test('compares with the first creation only', () => {
    const events = [event('created', FACTS), event('created', { ...FACTS, access: 'read-and-write' }, 'eve')];
    expect(differences({ ...KEY, access: 'read-and-write', ownerId: 'eve' }, events)).toHaveLength(2);
  });

  test.each([null, '{', '7', 'null'])(
    'compares only the owner when the creation has no valid details: %j',
    (details) => {
      const created = event('created', details);
      expect(differences({ ...KEY, access: 'read-and-write' }, [created])).toEqual([]);
      expect(differences({ ...KEY, ownerId: 'eve' }, [created])).toHaveLength(1);
    },
  );

  test('refuses a lifetime above the maximum, also an infinite one', () => {
    const tooLong = 'lives longer than 365 days, which is the maximum';
    const until = (expiresAt: Date) => differences({ ...KEY, expiresAt }, [event('created')]);
    expect(until(KEY.expiresAt)).toEqual([]);
    expect(until(new Date(KEY.expiresAt.valueOf() + 1))).toEqual([tooLong]);
    expect(until(new Date(Number.NaN))).toEqual([tooLong]);
  });

  test.each([
    [null, ['systems:read'], 'has permissions no list; event n created it with [systems:read]'],
    [['systems:read'], undefined, 'has permissions [systems:read]; event n created it with no list'],
    [['b:read', 'a:read'], ['b:read'], 'has permissions [b:read a:read]; event n created it with [b:read]'],
    [['b:read'], 'b:read', 'has permissions [b:read]; event n created it with no list'],
    [['b:read'], ['b:read'], undefined],
  ])('finds permissions %j of a key that was created with %j', (permissions, recorded, problem) => {
    const created = event('created', { ...FACTS, permissions: recorded });
    expect(differences({ ...KEY, permissions }, [created])).toEqual(problem ? [problem] : []);
  });

  test('finds allowed networks that the creation did not record, and a creation that recorded others', () => {
    const allowedNetworks = ['10.0.0.0/8'];
    const problem = 'has allowed networks no list; event n created it with [10.0.0.0/8]';
    expect(differences(KEY, [event('created', { ...FACTS, allowedNetworks })])).toEqual([problem]);
    expect(differences({ ...KEY, allowedNetworks }, [event('created')])).toHaveLength(1);
  });

  describe('with pruned events', () => {
    const after = (at: Date) => new Date(at.valueOf() + 1);
    const before = (at: Date) => new Date(at.valueOf() - 1);

    test('accepts a key that is older than the pruning', () => {
      expect(differences(KEY, [], CREATED_AT)).toEqual([]);
      expect(differences(KEY, [], before(CREATED_AT))).toEqual(['has no event that created it']);
      expect(differences({ ...KEY, createdAt: new Date(Number.NaN) }, [], LATER)).toContain(
        'has no event that created it',
      );
    });

    test.each(['revokedAt', 'expiredAt'] as const)('accepts an end without an event before the pruning: %s', (end) => {
      const ended = { ...KEY, [end]: LATER };
      expect(differences(ended, [], LATER)).toEqual([]);
      expect(differences(ended, [], after(LATER))).toEqual([]);
      expect(differences(ended, [], before(LATER))).toHaveLength(1);
    });

    test('still finds a key that has no end after the event of its end', () =>
      expect(differences(KEY, [event('revoked')], LATER)).toEqual(['is not revoked, although event n revoked it']));
  });

  test('accepts a key whose creation was pruned', () => {
    const [found, known] = [new RecordedKey(KEY), new RecordedKey(KEY)];
    known.add(event('created'));
    found.add(event('revoked'));
    expect([found.isTakenAsFound, known.isTakenAsFound]).toEqual([true, false]);
  });
});

describe('a rotation', () => {
  const USED_AT = new Date('2026-06-01T12:00:00.000Z');
  const at = (hours: number) => new Date(USED_AT.valueOf() + hours * HOUR_MS);
  const [END, NEVER] = [at(1), new Date(Number.NaN)];

  const OLD: StoredPredecessor = {
    expiresAt: at(500),
    revokedAt: null,
    expiredAt: null,
    endsAt: END,
    replacedBy: 'next',
    successors: 1,
  };
  const NEXT: StoredKey = {
    ...KEY,
    id: 'next',
    expiresAt: at(900),
    replaces: 'old',
    graceSeconds: 3600,
    firstUsedAt: USED_AT,
    replaced: OLD,
  };
  const UNUSED = { firstUsedAt: null, replaced: { ...OLD, endsAt: null } };

  const event = (id: bigint, type: string, details: object | null, reason: string | null = null): HistoryEvent => ({
    id,
    type: `api_key.${type}`,
    ownerId: 'ada',
    actorId: 'ada',
    reason,
    details: details && JSON.stringify(details),
  });
  const CREATED = event(1n, 'created', { replaces: 'old', graceSeconds: 3600 });
  const FIRST_USED = event(2n, 'first_used', {
    firstUsedAt: USED_AT.toISOString(),
    replaces: 'old',
    endsAt: END.toISOString(),
  });
  const revoked = (reason: string) => event(3n, 'revoked', null, reason);

  type Ends = Partial<StoredPredecessor>;
  const ended = (next: Partial<StoredKey>, old: Ends) => ({
    ...next,
    revokedAt: at(0),
    replaced: { ...OLD, ...old },
  });
  function problems(part: Partial<StoredKey>, events: { firstUsed?: HistoryEvent; revoked?: HistoryEvent } = {}) {
    const all = { created: CREATED, firstUsed: undefined, revoked: undefined, ...events };
    return rotationProblems({ ...NEXT, ...part }, all, at(0.5));
  }

  test.each<[string, Partial<StoredKey>, Parameters<typeof problems>[1]]>([
    ['before the first use', UNUSED, {}],
    ['after the first use', {}, { firstUsed: FIRST_USED }],
    ['after a first use that left no event', {}, {}],
    [
      'after a first use that left no event, where an earlier end stands',
      { replaced: { ...OLD, endsAt: at(0.2) } },
      {},
    ],
    ['whose old key has ended', { replaced: { ...OLD, endsAt: null, replacedBy: null, revokedAt: at(0) } }, {}],
    ['whose old key is not stored', { replaced: undefined }, {}],
    ['that its owner cancelled', ended({}, { endsAt: null, replacedBy: null }), { revoked: revoked('owner') }],
    ['that was begun again', ended({}, { replacedBy: 'third', successors: 2, endsAt: at(0.7) }), {}],
    ['that was begun again and cancelled', ended({}, { replacedBy: null, successors: 2 }), { firstUsed: FIRST_USED }],
    [
      'whose old key was not active any more',
      {},
      { firstUsed: event(2n, 'x', { firstUsedAt: USED_AT, endsAt: null }) },
    ],
  ])('%s has no problem', (_, part, events) => {
    expect(problems(part, events)).toEqual([]);
  });

  test.each<[Partial<StoredKey>, string]>([
    [{ replaces: null }, 'replaces no key; event 1 created it to replace old'],
    [{ replaces: 'other' }, 'replaces other; event 1 created it to replace old'],
    [{ graceSeconds: null }, 'has a grace period of null seconds; event 1 created it with 3600'],
    [{ graceSeconds: 9000 }, 'has a grace period of 9000 seconds; event 1 created it with 3600'],
    [{ firstUsedAt: null }, `was first used at no time; event 2 has ${USED_AT.toISOString()}`],
    [{ firstUsedAt: at(1) }, `was first used at ${at(1).toISOString()}; event 2 has ${USED_AT.toISOString()}`],
    [{ replaced: { ...OLD, replacedBy: null } }, 'replaces key old, which is replaced by no key'],
    [{ replaced: { ...OLD, replacedBy: 'x', successors: 2 } }, 'replaces key old, which is replaced by x'],
    [ended({}, { replacedBy: null }), 'replaces key old, which is replaced by no key'],
    ...[null, at(0.5), at(2), NEVER].map((endsAt): [Partial<StoredKey>, string] => [
      { replaced: { ...OLD, endsAt } },
      `gave key old its end at ${END.toISOString()}, but that key ends at ${
        endsAt?.valueOf() ? endsAt.toISOString() : 'no time'
      }`,
    ]),
  ])('that was changed after its first use was recorded has one problem: %j', (part, problem) => {
    expect(problems(part, { firstUsed: FIRST_USED })).toEqual([problem]);
  });

  test.each<[Partial<StoredKey>]>([
    [{ replaced: { ...OLD, endsAt: null } }],
    [{ replaced: { ...OLD, endsAt: at(1.1) } }],
    [{ replaced: { ...OLD, endsAt: NEVER } }],
    [ended({}, { endsAt: null, replacedBy: 'third', successors: 2 })],
    [ended({}, { endsAt: null, replacedBy: null, successors: 2 })],
    [ended({}, { endsAt: at(1.1), replacedBy: null, successors: 2 })],
    [{ firstUsedAt: at(0.6), replaced: { ...OLD, endsAt: at(1.6) } }],
    [{ firstUsedAt: NEVER, replaced: { ...OLD, endsAt: END } }],
  ])('whose first use left no event has a problem where its old key would stay valid: %j', (part) => {
    expect(problems(part)).not.toEqual([]);
  });

  test('still ends the old key when its successor was revoked by somebody who does not cancel it', () => {
    const events = { firstUsed: FIRST_USED, revoked: revoked('leaked') };
    expect(problems(ended({}, {}), events)).toEqual([]);
    expect(problems(ended({}, { endsAt: null }), events)).toHaveLength(1);
  });
});
