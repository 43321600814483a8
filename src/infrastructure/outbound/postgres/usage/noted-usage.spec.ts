import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS } from '#domain/time.js';
import { NotedKey, type NotedUse } from './noted-key.js';
import { NotedUsage } from './noted-usage.js';
import { usedAddresses } from './addresses.js';

const at = (ms: number) => new Date(ms);

describe('noted usage', () => {
  const grant = (usage: NotedUsage, keyId: string, ms: number) => usage.noteGrant(keyId, null, null, at(ms));
  const lastUses = (uses: readonly NotedUse[]) => uses.map(({ keyId, lastMs }) => [keyId, lastMs]);

  function seconds(usage: NotedUsage, count: number): NotedUse[] {
    return Array.from({ length: count }, () => usage.takeDue()).flat();
  }

  /** Seconds from one write of the key to the next, while it is used every second. */
  function rests(usage: NotedUsage, count: number): number[] {
    const taken: number[] = [];
    for (let second = 1; second <= count; second += 1) {
      grant(usage, 'a', second);
      for (const { keyId, lastMs } of usage.takeDue()) {
        if (keyId !== 'a') continue;
        expect(lastMs).toBe(second);
        taken.push(second);
      }
    }
    return taken.slice(1).map((second, index) => second - taken[index]!);
  }

  test('has a first use due in the next second', () => {
    const usage = new NotedUsage();
    grant(usage, 'a', 1);
    grant(usage, 'b', 2);
    expect(lastUses(usage.takeDue())).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  test('has a first use due in the next second even after a refusal was written', () => {
    const usage = new NotedUsage();
    usage.noteDenial('a', at(1));
    expect(lastUses(usage.takeDue())).toEqual([['a', undefined]]);
    grant(usage, 'a', 2);
    expect(lastUses(usage.takeDue())).toEqual([['a', 2]]);
    grant(usage, 'a', 3);
    expect(lastUses(usage.takeDue())).toEqual([]);
    expect(lastUses(seconds(usage, 10))).toEqual([['a', 3]]);
    expect(Math.min(...rests(usage, 100))).toBeGreaterThanOrEqual(5);
  });

  test('has a key in constant use due every 5 to 10 seconds', () => {
    const of = rests(new NotedUsage(), 200);
    expect(of.length).toBeGreaterThanOrEqual(19);
    expect(Math.min(...of)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...of)).toBeLessThanOrEqual(10);
  });

  test('has forty thousand keys in constant use due every 10 to 20 seconds, spread out', () => {
    const usage = new NotedUsage();
    for (let n = 0; n < 40_000; n += 1) grant(usage, `key-${n}`, 1);
    usage.takeDue();
    for (let n = 0; n < 40_000; n += 1) grant(usage, `key-${n}`, 2);
    const dueInSecond = Array.from({ length: 20 }, () => usage.takeDue().length);
    expect(dueInSecond.slice(0, 9)).toEqual(new Array(9).fill(0));
    expect(dueInSecond.reduce((sum, due) => sum + due, 0)).toBe(40_000);
    expect(Math.max(...dueInSecond)).toBeLessThan(6000);
  });

  test('forgets a key that was not used during its pause, so that its next use is a first one', () => {
    const usage = new NotedUsage();
    grant(usage, 'a', 1);
    expect(lastUses(seconds(usage, 200))).toEqual([['a', 1]]);
    grant(usage, 'a', 2);
    expect(lastUses(usage.takeDue())).toEqual([['a', 2]]);
  });

  test('has all uses due when there are more keys than it may keep', () => {
    const usage = new NotedUsage(1500);
    for (const round of [1, 2]) {
      for (let n = 0; n < 2000; n += 1) grant(usage, `key-${n}`, round);
      expect(usage.takeDue().length).toBeGreaterThan(round === 1 ? 1999 : 499);
    }
  });

  test('returns in all the last use of each key, and each grant and refusal once', () => {
    const keyId = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ keyId, ms: fc.nat(1000), isGranted: fc.boolean() }),
      fc.constant('a second' as const),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const usage = new NotedUsage();
        const taken: NotedUse[] = [];
        const noted = steps.filter((one) => one !== 'a second');
        for (const one of steps) {
          if (one === 'a second') taken.push(...usage.takeDue());
          else if (one.isGranted) grant(usage, one.keyId, one.ms);
          else usage.noteDenial(one.keyId, at(one.ms));
        }
        taken.push(...usage.takeAll());
        expect(usage.takeAll()).toEqual([]);
        for (const id of ['a', 'b', 'c']) {
          const own = taken.filter((use) => use.keyId === id);
          const [granted, refused] = [true, false].map((is) =>
            noted.filter((one) => one.keyId === id && one.isGranted === is),
          );
          const sum = (what: 'granted' | 'refused') =>
            own.flatMap(({ days }) => days).reduce((total, day) => total + day[what], 0);
          expect([sum('granted'), sum('refused')]).toEqual([granted!.length, refused!.length]);
          const last = Math.max(0, ...own.map(({ lastMs }) => lastMs ?? 0));
          expect(last).toBe(Math.max(0, ...granted!.map(({ ms }) => ms)));
        }
      }),
    );
  });
});

describe('a noted key', () => {
  const taken = (key: NotedKey): NotedUse => key.take()[0]!;
  const addressesOf = (key: NotedKey) => taken(key).addresses.map(({ clientIp }) => clientIp);

  test('counts by the day in UTC, also when readings around midnight alternate', () => {
    const key = new NotedKey('a');
    key.noteGrant(null, null, at(2 * DAY_MS - 1));
    key.noteGrant(null, null, at(2 * DAY_MS));
    key.noteDenial(at(2 * DAY_MS - 1));
    key.noteDenial(at(2 * DAY_MS + 1));
    expect(taken(key)).toEqual({
      keyId: 'a',
      lastMs: 2 * DAY_MS,
      days: [
        { day: 1, granted: 1, refused: 1 },
        { day: 2, granted: 1, refused: 1 },
      ],
      addresses: [],
      denials: [],
      permissions: [{ used: 'unknown', firstDay: 1, lastDay: 2, count: 2 }],
    });
    expect(key.take()).toEqual([]);
  });

  test('counts the permissions beyond the room of all keys in one, and gives the room back', () => {
    const room = { left: 3 };
    const [key, other] = [new NotedKey('a', room), new NotedKey('b', room)];
    for (const used of ['a:read', 'b:read', 'a:read']) key.noteGrant(null, null, at(0), used);
    for (const used of ['a:read', 'b:read', 'c:read']) other.noteGrant(null, null, at(0), used);
    const counts = (noted: NotedKey) => taken(noted).permissions.map(({ used, count }) => [used, count]);
    expect(counts(key)).toEqual([
      ['a:read', 2],
      ['b:read', 1],
    ]);
    expect(counts(other)).toEqual([
      ['a:read', 1],
      ['other', 2],
    ]);
    expect(room).toEqual({ left: 3 });
  });

  test('has no last use when every request was refused', () => {
    const key = new NotedKey('a');
    key.noteDenial(at(1));
    expect(taken(key)).toMatchObject({ lastMs: undefined, days: [{ day: 0, granted: 0, refused: 1 }] });
  });

  test('keeps the first use, the last use and the last service of an address', () => {
    const key = new NotedKey('a');
    key.noteGrant('192.0.2.1', 'gateway', at(5));
    key.noteGrant('192.0.2.1', null, at(9));
    key.noteGrant('192.0.2.1', 'late', at(7));
    key.noteGrant('192.0.2.1', 'early', at(3));
    expect(taken(key).addresses).toEqual([{ clientIp: '192.0.2.1', service: null, firstMs: 3, lastMs: 9 }]);
    key.noteGrant('192.0.2.1', 'gateway', at(11));
    expect(taken(key).addresses).toMatchObject([{ service: 'gateway', firstMs: 11, lastMs: 11 }]);
  });

  test('counts different spellings as one address', () => {
    const key = new NotedKey('a');
    for (const ip of ['2001:db8::1', '2001:DB8:0::1', '2001:db8::0:1']) key.noteGrant(ip, null, at(1));
    for (const ip of ['192.0.2.1', '::ffff:c000:201', '::ffff:192.0.2.1']) key.noteGrant(ip, null, at(1));
    expect(usedAddresses(key.take()).map(({ clientIp, network }) => [clientIp, network])).toEqual([
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['192.0.2.1', '192.0.2.0/24'],
    ]);
  });

  test('keeps eight of thousands of addresses, the newest included', () => {
    const key = new NotedKey('a');
    for (let n = 0; n < 5000; n += 1) key.noteGrant(`198.51.${n >> 8}.${n & 255}`, null, at(n));
    const held = addressesOf(key);
    expect(held).toHaveLength(8);
    expect(held).toContain('198.51.19.135');
  });

  test('keeps the only address of a network while many of another network follow', () => {
    const key = new NotedKey('a');
    key.noteGrant('198.51.100.7', null, at(0));
    for (let n = 1; n < 2000; n += 1) key.noteGrant(`203.0.113.${n % 256}`, null, at(n));
    const held = addressesOf(key);
    expect(held).toContain('198.51.100.7');
    // The newest addresses, which are the ones shown, are included.
    for (const n of [1995, 1996, 1997, 1998, 1999]) expect(held).toContain(`203.0.113.${n % 256}`);
  });

  test('keeps at least one address of each of eight networks', () => {
    const key = new NotedKey('a');
    for (let n = 0; n < 7; n += 1) key.noteGrant(`10.0.${n}.1`, null, at(n));
    key.noteGrant('10.0.6.2', null, at(7));
    key.noteGrant('2001:db8:0:1::1', null, at(8));
    key.noteGrant('2001:db8:0:1::2', null, at(9));
    const networks = usedAddresses(key.take()).map(({ network }) => network);
    expect(networks).toEqual([...Array.from({ length: 7 }, (_, n) => `10.0.${n}.0/24`), '2001:db8:0:1::/64']);
  });

  test('replaces addresses first that are already written', () => {
    const key = new NotedKey('a');
    for (let n = 0; n < 8; n += 1) key.noteGrant(`10.0.${n}.1`, null, at(n));
    key.take();
    key.noteGrant('10.0.0.1', null, at(8));
    for (let n = 1; n < 8; n += 1) key.noteGrant(`10.1.${n}.1`, null, at(8 + n));
    expect(addressesOf(key)).toEqual(['10.0.0.1', ...Array.from({ length: 7 }, (_, n) => `10.1.${n + 1}.1`)]);
  });

  test('adds what could not be written to what was noted since', () => {
    const key = new NotedKey('a');
    key.noteGrant('192.0.2.1', 'gateway', at(5));
    key.noteDenial(at(6));
    const first = taken(key);
    key.noteGrant('192.0.2.1', 'gateway', at(8));
    key.add(first);
    expect(taken(key)).toMatchObject({
      lastMs: 8,
      days: [{ day: 0, granted: 2, refused: 1 }],
      addresses: [{ clientIp: '192.0.2.1', firstMs: 5, lastMs: 8 }],
    });
  });
});
