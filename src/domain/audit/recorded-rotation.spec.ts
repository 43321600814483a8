import { describe, expect, test } from '@jest/globals';
import { UNTOUCHED } from '../keys/key-state.js';
import { HOUR_MS } from '../time.js';
import type { HistoryEvent } from './event-details.js';
import { rotationProblems, type StoredPredecessor, type StoredRotation } from './recorded-rotation.js';

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
const NEXT: StoredRotation = {
  ...UNTOUCHED,
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
const ended = (next: Partial<StoredRotation>, old: Ends) => ({
  ...next,
  revokedAt: at(0),
  replaced: { ...OLD, ...old },
});
function problems(part: Partial<StoredRotation>, events: { firstUsed?: HistoryEvent; revoked?: HistoryEvent } = {}) {
  const all = { created: CREATED, firstUsed: undefined, revoked: undefined, ...events };
  return rotationProblems({ ...NEXT, ...part }, all, at(0.5));
}

describe('a rotation', () => {
  test.each<[string, Partial<StoredRotation>, Parameters<typeof problems>[1]]>([
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

  test.each<[Partial<StoredRotation>, string]>([
    [{ replaces: null }, 'replaces no key; event 1 created it to replace old'],
    [{ replaces: 'other' }, 'replaces other; event 1 created it to replace old'],
    [{ graceSeconds: null }, 'has a grace period of null seconds; event 1 created it with 3600'],
    [{ graceSeconds: 9000 }, 'has a grace period of 9000 seconds; event 1 created it with 3600'],
    [{ firstUsedAt: null }, `was first used at no time; event 2 has ${USED_AT.toISOString()}`],
    [{ firstUsedAt: at(1) }, `was first used at ${at(1).toISOString()}; event 2 has ${USED_AT.toISOString()}`],
    [{ replaced: { ...OLD, replacedBy: null } }, 'replaces key old, which is replaced by no key'],
    [{ replaced: { ...OLD, replacedBy: 'x', successors: 2 } }, 'replaces key old, which is replaced by x'],
    [ended({}, { replacedBy: null }), 'replaces key old, which is replaced by no key'],
    ...[null, at(0.5), at(2), NEVER].map((endsAt): [Partial<StoredRotation>, string] => [
      { replaced: { ...OLD, endsAt } },
      `gave key old its end at ${END.toISOString()}, but that key ends at ${
        endsAt?.valueOf() ? endsAt.toISOString() : 'no time'
      }`,
    ]),
  ])('that was changed after its first use was recorded has one problem: %j', (part, problem) => {
    expect(problems(part, { firstUsed: FIRST_USED })).toEqual([problem]);
  });

  test.each<[Partial<StoredRotation>]>([
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
