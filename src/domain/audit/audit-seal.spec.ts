import { createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  isPruningGenuine,
  lastPrunedSealId,
  recordPruning,
  type AuditSeal,
  endProblem,
  EventsMac,
  eventsProblem,
  type SealableEvent,
  sealEvents,
  sealKeyOf,
  sealProblem,
} from './audit-seal.js';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const OTHER_KEY = createSecretKey(Buffer.alloc(32, 2));
const NOW = new Date('2026-11-20T12:00:00.000Z');
const EVENT: SealableEvent = {
  id: 7n,
  at: NOW,
  type: 'api_key.created',
  ownerId: 'ada',
  keyId: '0b7e0a0e-0000-4000-8000-000000000000',
  actorId: 'ada',
  reason: null,
  count: 1,
  publicPart: null,
  clientIp: '192.0.2.1',
  userAgent: 'curl/8',
  requestId: 'r-1',
  details: null,
};

function digest(events: readonly SealableEvent[], key = KEY) {
  const mac = new EventsMac(key);
  for (const event of events) mac.add(event);
  return mac.digest();
}

describe('eventsProblem', () => {
  const seal = sealEvents(KEY, undefined, 9n, digest([EVENT]), NOW);

  test('accepts the sealed events', () => expect(eventsProblem(seal, digest([EVENT]))).toBeUndefined());

  test.each(Object.keys(EVENT) as (keyof SealableEvent)[])('finds a change of the column %s', (column) => {
    const changes = { id: 8n, at: new Date(NOW.getTime() + 1), count: 2 };
    const changed = { ...EVENT, [column]: column in changes ? changes[column as keyof typeof changes] : 'other' };
    expect(eventsProblem(seal, digest([changed]))).toBe('the events differ from the sealed ones');
  });

  test('finds a value that was moved to another column', () => {
    const one = digest([{ ...EVENT, userAgent: 'x', requestId: null }]);
    const other = digest([{ ...EVENT, userAgent: null, requestId: 'x' }]);
    expect(one.eventsMac.equals(other.eventsMac)).toBe(false);
  });

  test('verifies seals from before events had details', () => {
    const { details: _details, ...before } = EVENT;
    const columns = [String(before.id), before.at.valueOf(), ...Object.values(before).slice(2)];
    const mac = createHmac('sha256', KEY);
    mac.update(`["latchkey audit events 1"]\n${JSON.stringify(columns)}\n`);
    expect(digest([EVENT]).eventsMac).toEqual(mac.digest());
    expect(digest([{ ...EVENT, details: '' }]).eventsMac).not.toEqual(digest([EVENT]).eventsMac);
  });

  test('finds added, removed and swapped events', () => {
    const next = { ...EVENT, id: 8n };
    expect(eventsProblem(seal, digest([EVENT, next]))).toBe('the number of events is 2 instead of 1');
    expect(eventsProblem(seal, digest([]))).toBe('the number of events is 0 instead of 1');
    expect(digest([EVENT, next]).eventsMac.equals(digest([next, EVENT]).eventsMac)).toBe(false);
  });

  test('distinguishes all contents, whatever clients have sent', () => {
    const text = fc.option(fc.string({ unit: fc.constantFrom('"', ',', '\n', '\\', '[', ']', 'a', 'é') }));
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        const [one, other] = [
          { ...EVENT, userAgent: a, requestId: b },
          { ...EVENT, userAgent: c, requestId: d },
        ];
        expect(digest([one]).eventsMac.equals(digest([other]).eventsMac)).toBe(a === c && b === d);
      }),
    );
  });

  test('needs the key', () => {
    expect(digest([EVENT]).eventsMac.equals(digest([EVENT], OTHER_KEY).eventsMac)).toBe(false);
  });
});

describe('A chain of seals', () => {
  const first = sealEvents(KEY, undefined, 9n, digest([EVENT]), NOW);
  const second = sealEvents(KEY, first, 20n, digest([]), NOW);
  const third = sealEvents(KEY, second, 21n, digest([]), NOW);
  const changed = 'the seal itself was changed, or AUDIT_SEAL_KEY does not hold the key it was made with';

  test('covers every id from 1 on, without a gap', () => {
    expect([first, second].map(({ id, fromEventId, toEventId }) => [id, fromEventId, toEventId])).toEqual([
      [1n, 1n, 9n],
      [2n, 10n, 20n],
    ]);
    expect([undefined, first, second].map((one, at) => sealProblem([KEY], one, [first, second, third][at]!))).toEqual(
      new Array(3).fill(undefined),
    );
  });

  test.each<[string, Partial<AuditSeal>]>([
    ['range', { toEventId: 19n }],
    ['start', { fromEventId: 11n }],
    ['count', { eventCount: 1 }],
    ['events', { eventsMac: first.eventsMac }],
    ['time', { sealedAt: new Date(0) }],
    ['predecessor', { previousMac: third.mac }],
    ['mac', { mac: first.mac }],
    ['mac, cut short', { mac: second.mac.subarray(1) }],
  ])('is broken when this part of a seal was changed: %s', (_, change) => {
    expect(sealProblem([KEY], first, { ...second, ...change })).toBe(changed);
  });

  test('is broken when a seal is missing', () => {
    expect(sealProblem([KEY], first, third)).toBe('seal 2 is missing');
    expect(sealProblem([KEY], undefined, second)).toBe('seal 1 is missing');
  });

  test('is broken when it contains a genuine seal of another chain', () => {
    const other = sealEvents(KEY, undefined, 9n, digest([]), NOW);
    expect(sealProblem([KEY], other, second)).toBe('the seal does not continue from seal 1');
  });

  test('is broken when a genuine seal leaves out a range', () => {
    const later = sealEvents(KEY, { ...first, toEventId: 12n }, 20n, digest([]), NOW);
    expect(sealProblem([KEY], first, later)).toBe('the seal does not continue from seal 1');
  });

  test('verifies old seals for ever (compared with values of Python’s hmac)', () => {
    expect(first.eventsMac.toString('hex')).toBe('835e226646d15078e7fcf7cedd2ba73dfeaa9629f75e98189e34e7c3a0fa53e9');
    expect(first.mac.toString('hex')).toBe('f9393094fb8cc167a731b48ade382e338853d9f38f33a8578c3b0a22319af572');
    expect(first.previousMac).toEqual(Buffer.alloc(32));
  });

  describe('with a replaced key', () => {
    const keys = [OTHER_KEY, KEY];
    const rotated = sealEvents(OTHER_KEY, first, 20n, digest([], OTHER_KEY), NOW);

    test('continues under the newer key, and verifies each seal with its own', () => {
      expect([first, rotated].map((seal) => sealKeyOf(keys, seal))).toEqual([KEY, OTHER_KEY]);
      expect([sealProblem(keys, undefined, first), sealProblem(keys, first, rotated)]).toEqual([undefined, undefined]);
      expect([endProblem(keys, rotated), endProblem([KEY], first)]).toEqual([undefined, undefined]);
    });

    test('is broken when the older key sealed again', () => {
      const again = sealEvents(KEY, rotated, 21n, digest([]), NOW);
      expect(sealProblem(keys, rotated, again)).toBe('the seal was made with an older key than the seal before it');
    });

    test('is broken at its end until the newer key has sealed', () =>
      expect(endProblem(keys, first)).toMatch(/^no seal was made with the newest key: /));
  });

  test('is broken for another key', () => expect(sealProblem([OTHER_KEY], undefined, first)).toBe(changed));
});

describe('A recorded pruning', () => {
  const upTo = sealEvents(KEY, undefined, 9n, digest([EVENT]), NOW);
  const pruning = recordPruning(KEY, 4n, upTo, NOW);

  test('names the seals whose events it deleted', () => {
    expect(pruning).toMatchObject({ id: 5n, toSealId: 1n, toEventId: 9n, prunedAt: NOW });
    expect(isPruningGenuine([KEY], pruning)).toBe(true);
  });

  test.each([{ id: 6n }, { toSealId: 2n }, { toEventId: 10n }, { prunedAt: new Date(0) }, { mac: upTo.mac }])(
    'does not verify after a change (%#)',
    (change) => expect(isPruningGenuine([KEY], { ...pruning, ...change })).toBe(false),
  );

  test('verifies for ever (compared with a value of Python’s hmac)', () => {
    expect(pruning.mac.toString('hex')).toBe('da9348676ef353f2fb754a817a7fc2e76445f7072e9d62dd9887aea992305ecc');
  });

  test('shows the last deleted seal, also when there are several prunings', () => {
    const upToSeals = (...ids: bigint[]) => lastPrunedSealId(ids.map((toSealId) => ({ ...pruning, toSealId })));
    expect([upToSeals(), upToSeals(3n), upToSeals(3n, 9n, 4n)]).toEqual([0n, 3n, 9n]);
  });

  test('verifies with the key that recorded it, old or new', () =>
    expect(isPruningGenuine([OTHER_KEY, KEY], pruning)).toBe(true));

  test('does not verify without the key', () => expect(isPruningGenuine([OTHER_KEY], pruning)).toBe(false));
});
