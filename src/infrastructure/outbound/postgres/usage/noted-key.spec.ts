import { describe, expect, test } from '@jest/globals';
import { DAY_MS } from '#domain/time.js';
import { usedAddresses } from './addresses.js';
import { NotedKey, type NotedUse } from './noted-key.js';

const at = (ms: number) => new Date(ms);
const taken = (key: NotedKey): NotedUse => key.take()[0]!;
const addressesOf = (key: NotedKey) => taken(key).addresses.map(({ clientIp }) => clientIp);

describe('a noted key', () => {
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
    for (const used of ['a:read', 'b:read', 'a:read']) key.noteGrant(null, null, at(0), 1, used);
    for (const used of ['a:read', 'b:read', 'c:read']) other.noteGrant(null, null, at(0), 1, used);
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
