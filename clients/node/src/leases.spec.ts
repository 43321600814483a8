import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Guard, createGuard } from './guard.js';
import type { DecisionEvent } from './hooks.js';
import { Leases, type Wish } from './leases.js';
import { LeaseUses, type Use, type UsesOfKey } from './lease-uses.js';
import type { Question } from './question.js';
import { denied, granted } from './testing/answers.js';
import { eventually } from './testing/eventually.js';
import { ScriptedLatchkey } from './testing/scripted-latchkey.js';

const USE: Use = {
  credential: { authorization: 'Bearer k' },
  operation: 'READ',
  permission: 'systems/42:read',
  clientIp: '192.0.2.1',
};
const LEASE = { lengthMs: 1000, uses: 10, hasOwnPermissions: false, allowedNetworks: [] };
const GRANTED = {
  allowed: true,
  principal: {
    keyId: 'key-1',
    ownerId: 'owner-1',
    access: 'read-only',
    permissions: ['systems:read'],
    attributes: {},
    expiresAt: new Date(1_900_000_000_250),
  },
  rateLimit: { limit: 100, remaining: 50, resetSeconds: 1, windowSeconds: 5 },
} as const;
const REFUSED = {
  allowed: false,
  status: 401,
  reason: 'INVALID_KEY',
  retryAfterSeconds: undefined,
  missingPermission: undefined,
  keyId: undefined,
  ownerId: undefined,
  rateLimit: undefined,
} as const;

describe('Leases', () => {
  let now: { wall: number; monotonic: number };
  let leases: Leases;
  beforeEach(() => {
    now = { wall: 1_000_000, monotonic: 5000 };
    leases = new Leases({ wall: () => now.wall, monotonic: () => now.monotonic });
  });
  const pass = (wall: number, monotonic = wall) => {
    now.wall += wall;
    now.monotonic += monotonic;
  };
  const keyOf = ({ credential } = USE) => leases.keyOf(credential)!;
  const next = (use: Use = USE) => leases.next(keyOf(use), use);
  const call = (use: Use = USE): Wish => {
    const wish = next(use);
    expect(wish).not.toBeInstanceOf(Promise);
    return wish as Wish;
  };
  const take = (lease = LEASE) => leases.ended(call(), GRANTED, lease);
  const use = (times: number) => Array.from({ length: times }, () => leases.grantFor(keyOf(), USE));
  const isGranted = () => use(1)[0] !== undefined;

  test.each<[string, number, number, boolean]>([
    ['just before 90 % of the length', 899, 899, true],
    ['at 90 % of the length', 900, 900, false],
    ['while the machine slept', 900, 1, false],
    ['while the wall clock was set back', -60_000, 899, true],
    ['while the wall clock was set back, and time passed', -60_000, 900, false],
    ['with a monotonic clock that runs 8.5 % fast', 830, 900, false],
    ['between two ticks of 16 ms', 896, 880, true],
  ])('grant %s only if both clocks allow it', (_when, wall, monotonic, expected) => {
    take();
    pass(wall, monotonic);
    expect(isGranted()).toBe(expected);
  });

  test('count from before the call, and are no longer than 2 s', () => {
    const wish = call();
    pass(500);
    leases.ended(wish, GRANTED, LEASE);
    pass(399);
    const { renewal } = use(1)[0]!;
    pass(1);
    expect(isGranted()).toBe(false);
    leases.ended(renewal!, GRANTED, { ...LEASE, lengthMs: 2001 });
    expect(isGranted()).toBe(false);
  });

  test('grant no more uses than they carry', () => {
    take({ ...LEASE, uses: 2 });
    expect(use(3).map(Boolean)).toEqual([true, true, false]);
    expect(leases.spent).toBe(2);
  });

  test('are dropped when Latchkey denies the credential', () => {
    take();
    leases.drop(USE.credential);
    expect(isGranted()).toBe(false);
  });

  test('wish for twice what the last one was used for, and one, unless it ended longer ago than its own length', () => {
    const first = call();
    expect(first.uses).toBe(1);
    leases.ended(first, GRANTED, LEASE);
    use(3);
    pass(1899);
    const second = call();
    expect(second.uses).toBe(7);
    // Its uses are spent at once, 1899 ms after the wish of the call.
    leases.ended(second, GRANTED, { ...LEASE, uses: 1 });
    const renewal = use(1)[0]!.renewal!;
    expect(renewal.uses).toBe(3);
    leases.ended(renewal, GRANTED, null);
    pass(1000);
    expect(call().uses).toBe(1);
  });

  test('are renewed once, at 80 % of the uses or of the time, by a request that does not wait', () => {
    take();
    expect(use(8).map((granting) => granting!.renewal?.uses)).toEqual([...Array(7).fill(undefined), 17]);
    expect(use(1)[0]!.renewal).toBeUndefined();
    leases = new Leases({ wall: () => now.wall, monotonic: () => now.monotonic });
    take();
    pass(719);
    expect(use(1)[0]!.renewal).toBeUndefined();
    pass(1);
    expect(use(1)[0]!.renewal?.uses).toBe(5);
  });

  test('count the request that renews them as a use, unless the renewal is granted', () => {
    const counts = () =>
      leases
        .tidy()
        .flat()
        .map(({ count }) => count);
    take();
    const { renewal } = use(8).at(-1)!;
    leases.ended(renewal!, GRANTED, LEASE);
    expect(counts()).toEqual([7]);
    const second = use(8).at(-1)!.renewal!;
    leases.ended(second, REFUSED, null);
    expect(counts().reduce((sum, count) => sum! + count!, 0)).toBe(8);
  });

  test('let one call for a key be under way, and others wait for it, but for those that it can not serve', async () => {
    const wish = call();
    const waiting = next();
    expect(waiting).toBeInstanceOf(Promise);
    expect(next({ ...USE, operation: 'DESTROY' })).toBeUndefined();
    expect(call({ ...USE, credential: { authorization: 'Bearer other' } })).toBeDefined();
    leases.ended(wish, GRANTED, LEASE);
    await waiting;
    expect(isGranted()).toBe(true);
    expect(next({ ...USE, permission: 'reports:read' })).toBeUndefined();
  });

  test('let eight requests of a crowd be sent at once, and wake the others when a lease comes or one of them ends', async () => {
    const wish = call();
    leases.ended(wish, GRANTED, { ...LEASE, uses: 1 });
    const renewal = use(1)[0]!.renewal!;
    const places = Array.from({ length: 11 }, () => leases.place(keyOf()));
    expect(places.map((place) => place === true)).toEqual([...Array(8).fill(true), false, false, false]);
    leases.left(keyOf());
    await places[8];
    expect(leases.place(keyOf())).toBe(true);
    leases.ended(renewal, GRANTED, { ...LEASE, uses: 3 });
    await Promise.all(places.slice(9));
    expect(use(2).every(Boolean)).toBe(true);
  });

  test('let all requests be sent at once where calls bring no leases', () => {
    leases.ended(call(), GRANTED, null);
    expect(Array.from({ length: 100 }, () => leases.place(keyOf()))).toEqual(Array(100).fill(true));
  });

  test.each([
    ['denied', REFUSED, null],
    ['granted without a lease', GRANTED, null],
  ])('let nobody wait, and no call wish, for a second after a call that was %s', async (_how, decision, lease) => {
    const wish = call();
    const waiting = next();
    leases.ended(wish, decision, lease);
    await waiting;
    pass(999);
    expect(next()).toBeUndefined();
    pass(1);
    expect(call().uses).toBe(1);
  });

  test('keep the text of a credential only while there are uses of it to report', () => {
    const text = () => inspect(leases, { depth: null }).includes('Bearer k');
    take();
    expect(text()).toBe(false);
    const { renewal } = use(8).at(-1)!;
    expect(text()).toBe(true);
    leases.ended(renewal!, GRANTED, LEASE);
    leases.tidy();
    expect(text()).toBe(false);
    expect(isGranted()).toBe(true);
  });

  test('are forgotten once they ended longer ago than their own length', () => {
    take();
    pass(1899);
    leases.tidy();
    expect(leases.held).toBe(1);
    pass(1);
    leases.tidy();
    expect(leases.held).toBe(0);
  });
});

describe('Uses to report', () => {
  interface Key {
    uses: UsesOfKey | undefined;
  }
  let uses: LeaseUses<Key>;
  beforeEach(() => void (uses = new LeaseUses()));
  const taken = () => uses.take(1000).map((portion) => portion.length);
  const newKey = (): Key => ({ uses: undefined });

  test('are at most 200 entries and 48 KiB in a report, and reported once', () => {
    const key = newKey();
    for (let n = 0; n < 450; n += 1) uses.add(key, { ...USE, clientIp: `192.0.2.${n}` }, '', 0);
    expect(taken()).toEqual([200, 200, 50]);
    expect(taken()).toEqual([]);
    for (let n = 0; n < 30; n += 1) {
      uses.add(newKey(), { ...USE, credential: { authorization: 'k'.repeat(4050) + n } }, '', 0);
    }
    expect(taken()).toEqual([12, 12, 6]);
  });

  test('count from an unknown address beyond the most that are remembered', () => {
    uses = new LeaseUses(2);
    const key = newKey();
    for (const clientIp of ['a', 'b', 'c', 'd', 'a']) uses.add(key, { ...USE, clientIp }, 'systems:read', 400);
    expect(uses.take(1000)[0]).toMatchObject([
      { clientIp: 'a', count: 2, lastMsAgo: 600, permission: 'systems:read', operation: 'OPERATION_READ' },
      { clientIp: 'b', count: 1 },
      { clientIp: '', count: 2 },
    ]);
  });

  test('find their key by the form and the text of its credential, until they are reported', () => {
    const [one, other] = [newKey(), newKey()];
    uses.add(one, { ...USE, credential: { apiKey: 'k' } }, '', 0);
    expect(uses.keyOf({ authorization: 'k' })).toBeUndefined();
    uses.add(other, { ...USE, credential: { authorization: 'k' } }, '', 0);
    expect(uses.keyOf({ apiKey: 'k' })).toBe(one);
    expect(uses.keyOf({ authorization: 'k' })).toBe(other);
    expect(uses.take(0)[0]).toMatchObject([{ apiKey: 'k' }, { authorization: 'k' }]);
    expect([uses.keyOf({ apiKey: 'k' }), uses.keyOf({ authorization: 'k' })]).toEqual([undefined, undefined]);
  });
});

describe('A guard with leases', () => {
  const READ: Question = {
    authorization: ['Bearer k'],
    method: 'GET',
    permission: 'systems:read',
    clientIp: '192.0.2.1',
  };
  /** Its time does not run out in a test on a slow machine. Tests of the time have clocks of their own. */
  const LONG = { ...LEASE, lengthMs: 2000, uses: 1000 };
  let latchkey: ScriptedLatchkey;
  let decisions: DecisionEvent[];
  let guard: Guard;
  let now: number;

  beforeEach(async () => {
    latchkey = new ScriptedLatchkey();
    decisions = [];
    await latchkey.start();
    latchkey.leases(LONG, granted());
    await open();
  });
  afterEach(() => {
    guard.close();
    latchkey.stop();
  });

  async function open(options: object = { leases: true }): Promise<void> {
    guard?.close();
    now = 1_000_000;
    const onDecision = (event: DecisionEvent) => decisions.push(event);
    const common = { ...latchkey.options, serviceToken: 'token', logFailures: false, onDecision };
    guard = createGuard({ ...common, ...options }, { wall: () => now, monotonic: () => now });
    await eventually(() => latchkey.streams.size === 2);
  }
  const wishes = () => latchkey.questions.map(({ leaseWish }) => leaseWish?.uses);

  test('grants further requests of a key by itself, with what is left of the limit', async () => {
    const first = await guard.check(READ);
    const second = await guard.check({ ...READ, requestId: 'second' });
    const third = await guard.check({ ...READ, method: 'POST', permission: 'systems:write' });
    expect(latchkey.questions).toHaveLength(1);
    expect([first, second, third].map(({ allowed, rateLimit }) => [allowed, rateLimit?.remaining])).toEqual([
      [true, 99],
      [true, 98],
      [true, 97],
    ]);
    expect(second).toEqual({ ...first, rateLimit: { ...first.rateLimit, remaining: 98 } });
    expect(decisions.map(({ source }) => source)).toEqual(['service', 'lease', 'lease']);
    expect(decisions[1]).toMatchObject({ status: 200, operation: 'READ', requestId: 'second' });
    expect(guard.leases()).toEqual({ held: 1, spent: 2 });
  });

  test.each<[string, Partial<Question>]>([
    ['another permission', { permission: 'reports:read' }],
    ['another operation', { method: 'DELETE' }],
    ['another client address', { clientIp: '198.51.100.1' }],
    ['an unknown client address', { clientIp: '' }],
    ['another credential', { authorization: ['Bearer K'] }],
    ['a second Authorization header', { authorization: ['Bearer k', 'Bearer k'] }],
    ['no Authorization header', { authorization: [] }],
  ])('lets the service decide about %s', async (_what, difference) => {
    latchkey.leases({ ...LONG, allowedNetworks: ['192.0.2.0/24'] }, granted());
    await guard.check(READ);
    latchkey.answers(denied());
    expect(await guard.check(READ)).toMatchObject({ allowed: true });
    expect(await guard.check({ ...READ, ...difference })).toMatchObject({ status: 401 });
    expect(latchkey.questions).toHaveLength(2);
  });

  test('drops the lease of a credential that the service denies', async () => {
    await guard.check(READ);
    latchkey.answers(denied());
    await guard.check({ ...READ, permission: 'reports:read' });
    expect(await guard.check(READ)).toMatchObject({ status: 401 });
  });

  test('drops a lease whose renewal the service denies', async () => {
    await guard.check(READ);
    latchkey.answers(denied());
    now += 1440;
    expect(await guard.check(READ)).toMatchObject({ allowed: true });
    await eventually(() => guard.leases().held === 0);
    expect(await guard.check(READ)).toMatchObject({ status: 401 });
  });

  test('reads addresses as the service does', async () => {
    latchkey.leases({ ...LONG, allowedNetworks: ['192.0.2.0/24', 'fe80::/10'] }, granted());
    await guard.check(READ);
    for (const clientIp of ['::ffff:192.0.2.1', '::FFFF:c000:0201', 'fe80::1%eth0', '192.0.2.9%1']) {
      expect(await guard.check({ ...READ, clientIp })).toMatchObject({ allowed: true });
    }
    expect(latchkey.questions).toHaveLength(1);
  });

  test('sends one call for a crowd, and the rest of it without wishes if the lease has too few uses', async () => {
    const replies: (() => void)[] = [];
    latchkey.script = (_, reply) => replies.push(() => reply(null, { ...granted(), lease: { ...LONG, uses: 2 } }));
    const crowd = Array.from({ length: 6 }, () => guard.check(READ));
    await eventually(() => replies.length === 1);
    replies.shift()!();
    // One of the two uses also renews the lease.
    await eventually(() => replies.length === 4);
    for (const reply of replies) reply();
    expect((await Promise.all(crowd)).every(({ allowed }) => allowed)).toBe(true);
    expect(wishes().sort()).toEqual([1, 5, undefined, undefined, undefined]);
  });

  test('sends the requests that waited for a call that fails, with what is left of their deadlines', async () => {
    await open({ leases: true, deadlineMs: 400 });
    latchkey.hangs();
    const first = guard.check(READ);
    await eventually(() => latchkey.questions.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    const second = guard.check(READ);
    expect(await first).toMatchObject({ status: 503 });
    expect(await second).toMatchObject({ status: 503 });
    latchkey.answers(granted());
    expect(await guard.check(READ)).toMatchObject({ allowed: true });
    expect(
      wishes()
        .slice(1)
        .every((wish) => wish === undefined),
    ).toBe(true);
  });

  test('renews its lease in the background, and stops granting from it at the end', async () => {
    await guard.check(READ);
    await guard.check(READ);
    now += 1440;
    await guard.check(READ);
    await eventually(() => latchkey.questions.length === 2);
    expect(wishes()).toEqual([1, 5]);
    now += 1799;
    expect(decisions.map(({ source }) => source)).toEqual(['service', 'lease', 'lease']);
    latchkey.answers(denied());
    now += 1;
    expect(await guard.check(READ)).toMatchObject({ status: 401 });
  });

  test('reports uses once a second and when it is closed, with the credential and the permission that covered them', async () => {
    await guard.check(READ);
    for (const clientIp of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) {
      await guard.check({ ...READ, clientIp, permission: 'systems/42:read' });
    }
    await eventually(() => latchkey.reports.length === 1);
    await guard.check({ ...READ, method: 'POST', permission: '' });
    guard.close();
    await eventually(() => latchkey.reports.length === 2);
    const common = { authorization: 'Bearer k', credential: 'authorization', permission: 'systems:read' };
    expect(latchkey.reports[0]).toMatchObject([
      { ...common, clientIp: '192.0.2.1', count: 2, operation: 'OPERATION_READ' },
      { ...common, clientIp: '192.0.2.2', count: 1 },
    ]);
    // Absent would mean unknown.
    expect(latchkey.reports[1]).toMatchObject([{ count: 1, operation: 'OPERATION_WRITE', permission: '' }]);
    expect(await guard.check(READ)).toMatchObject({ status: 503 });
  });

  test('wishes for no lease and uses none without the option', async () => {
    await open({});
    latchkey.answers({ ...granted(), lease: LONG });
    await guard.check(READ);
    await guard.check(READ);
    expect(wishes()).toEqual([undefined, undefined]);
    expect(guard.leases()).toEqual({ held: 0, spent: 0 });
  });
});
