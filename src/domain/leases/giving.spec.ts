import { describe, expect, test } from '@jest/globals';
import { Giving, lengthToGive } from './giving.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const REQUEST = { stream: 'stream', arrivedAtMs: 100, understands: new Set(['networks']) };
const FOUND = {
  ownerId: 'Ann',
  awaitsFirstUse: false,
  restrictions: [],
  own: { id: 'r1', leaseMs: 1000, renewedAt: NOW, fence: null },
  now: NOW,
  expiresAt: new Date(NOW.getTime() + 3_600_000),
  endsAt: null,
  graceSeconds: null,
};

/** Gives one lease of a second, in a statement of its own. */
function give(giving: Giving<string>, ownerId = 'Ann', stream = 'stream'): number | undefined {
  const batch = giving.send(100);
  const id = giving.give(ownerId, 1000, { ...REQUEST, stream }, batch);
  giving.end(batch);
  return id;
}

test.each<[string, Partial<typeof REQUEST>, object]>([
  ['a call that is not on a stream', { stream: undefined as never }, {}],
  ['a successor whose first use is not recorded', {}, { awaitsFirstUse: true }],
  ['a giver without a registration', {}, { own: undefined }],
  ['a giver that is fenced', {}, { own: { ...FOUND.own, fence: 'f1' } }],
  ['a restriction that the guard does not know', {}, { restrictions: ['networks', 'hours'] }],
  ['a key that ends soon', {}, { expiresAt: new Date(NOW.getTime() + 50) }],
])('no lease is given for %s', (_why, request, found) => {
  expect(lengthToGive(REQUEST, { ...FOUND, restrictions: ['networks'] })).toBe(1000);
  expect(lengthToGive({ ...REQUEST, ...request }, { ...FOUND, ...found })).toBeUndefined();
});

describe('Giving', () => {
  test('gives no lease from a statement that was sent before the request, or before a recall of its owner', () => {
    const giving = new Giving<string>();
    const batch = giving.send(100);
    expect(giving.give('Ann', 1000, { ...REQUEST, arrivedAtMs: 100.5 }, batch)).toBeUndefined();
    expect(giving.give('Ann', 1000, { ...REQUEST, stream: undefined }, batch)).toBeUndefined();
    giving.recall({ notificationId: 'n1', ownerId: 'Ann' }, 110);
    expect(giving.give('Ann', 1000, REQUEST, batch)).toBeUndefined();
    expect(giving.give('Bob', 1000, REQUEST, batch)).toBe(1);
    giving.recall({ notificationId: 'n2', ownerId: undefined }, 120);
    expect(giving.give('Bob', 1000, REQUEST, batch)).toBeUndefined();
    expect(give(giving)).toBe(2);
  });

  test('acknowledges at once where nothing was given', () => {
    const giving = new Giving<string>();
    give(giving, 'Bob');
    const recalled = giving.recall({ notificationId: 'n1', ownerId: 'Ann' }, 200);
    expect([recalled.messages.size, recalled.acknowledged]).toEqual([0, ['n1']]);
  });

  test('recalls all leases of an owner with one message for each stream, and acknowledges once all are given back', () => {
    const giving = new Giving<string>();
    const ids = [give(giving), give(giving), give(giving, 'Ann', 'other'), give(giving, 'Bob')];
    const { messages, acknowledged } = giving.recall({ notificationId: 'n1', ownerId: 'Ann' }, 200);
    expect([[...messages], acknowledged]).toEqual([
      [
        ['stream', [ids[0], ids[1]]],
        ['other', [ids[2]]],
      ],
      [],
    ]);
    expect(giving.giveBack('stream', [1, 2], 210)).toEqual([]);
    expect(giving.giveBack('other', [3], 220)).toEqual(['n1']);
  });

  test('accepts a lease back only from the stream on which it was given and recalled', () => {
    const giving = new Giving<string>();
    give(giving);
    expect(giving.giveBack('stream', [1], 150)).toEqual([]);
    expect(giving.recall({ notificationId: 'n1', ownerId: 'Ann' }, 200).acknowledged).toEqual([]);
    expect(giving.giveBack('other', [1], 210)).toEqual([]);
    expect(giving.giveBack('stream', [1], 220)).toEqual(['n1']);
  });

  test('acknowledges a second recall of the same lease without a second message', () => {
    const giving = new Giving<string>();
    give(giving);
    giving.recall({ notificationId: 'n1', ownerId: 'Ann' }, 200);
    expect(giving.recall({ notificationId: 'n2', ownerId: undefined }, 210).messages.size).toBe(0);
    expect(giving.giveBack('stream', [1], 220)).toEqual(['n1', 'n2']);
  });

  test('acknowledges without an answer once the length and 2 % have passed since the request arrived', () => {
    const giving = new Giving<string>();
    give(giving);
    giving.recall({ notificationId: 'n1', ownerId: 'Ann' }, 200);
    expect([giving.nextEndMs(), giving.acknowledged(1119.9), giving.acknowledged(1120)]).toEqual([1120, [], ['n1']]);
    expect(giving.nextEndMs()).toBeUndefined();
  });

  test('forgets leases that have ended', () => {
    const giving = new Giving<string>();
    give(giving);
    giving.removeEnded(1119);
    expect(giving.recall({ notificationId: 'n1', ownerId: 'Ann' }, 1119).messages.size).toBe(1);
    giving.removeEnded(1120);
    expect(giving.recall({ notificationId: 'n2', ownerId: 'Ann' }, 1120).acknowledged).toContain('n2');
  });
});
