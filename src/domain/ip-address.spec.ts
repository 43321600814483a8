import { isIP, isIPv4 } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bareAddress,
  isIpv4,
  parseAddress,
  spellAddress,
  withoutPort,
  canonicalAddress,
  clientNetwork,
} from './ip-address.js';

/** As browsers write an address: all groups, without leading zeros, the longest run of zeros shortened. */
const canonical = (ip: string) => new URL(`http://[${ip}]/`).hostname.slice(1, -1);

const nearAddresses = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.stringMatching(/^[0-9a-f:.]{0,24}$/),
  fc.stringMatching(/^([0-9a-f]{0,5}:){1,8}[0-9a-f]{0,5}$/),
  fc.stringMatching(/^([0-9a-f]{1,4}:){2,6}([0-9]{1,3}\.){3}[0-9]{1,3}$/),
  fc.stringMatching(/^([0-9]{1,4}\.){3}[0-9]{1,4}$/),
  fc.constantFrom(
    '::',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7::',
    '1::3:4:5:6:7:8',
    '1::2:3:4:5:6:7:8',
    '::1.2.3.4',
    '1.2.3.4::',
  ),
);

describe('parseAddress', () => {
  test('accepts the same texts as Node does, apart from zones', () => {
    fc.assert(
      fc.property(nearAddresses, (text) => expect(parseAddress(text) !== undefined).toBe(isIP(text) !== 0)),
      { numRuns: 1000 },
    );
    expect(parseAddress('fe80::1%eth0')).toBeUndefined();
  });

  test.each([
    '',
    'localhost',
    '010.0.0.1',
    '256.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '12345::',
    ' ::1',
    '[::1]',
    '1.2.3.4:80',
    '１.2.3.4',
  ])('refuses %j', (text) => expect(parseAddress(text)).toBeUndefined());

  test('takes an IPv4 address that is mapped to IPv6 for what it is', () => {
    const spellings = ['10.0.2.3', '::ffff:10.0.2.3', '::FFFF:a00:203', '0:0:0:0:0:ffff:10.0.2.3'];
    const parsed = spellings.map((text) => parseAddress(text)!);
    expect(parsed.map(isIpv4)).toEqual(spellings.map(() => true));
    expect(parsed.map(spellAddress)).toEqual(spellings.map(() => '10.0.2.3'));
    expect(['::10.0.2.3', '64:ff9b::10.0.2.3', '::fffe:10.0.2.3'].map((text) => isIpv4(parseAddress(text)!))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

test('spellAddress writes IPv6 as browsers do, and IPv4 in dots', () => {
  fc.assert(
    fc.property(fc.ipV6(), (ip) => {
      fc.pre(!isIpv4(parseAddress(ip)!));
      expect(spellAddress(parseAddress(ip)!)).toBe(canonical(ip));
    }),
    { numRuns: 1000 },
  );
  fc.assert(fc.property(fc.ipV4(), (ip) => expect(spellAddress(parseAddress(ip)!)).toBe(ip)));
});

test.each([
  ['192.0.2.9:50001', '192.0.2.9'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['2001:db8::7', '2001:db8::7'],
  ['2001:db8::7:443', '2001:db8::7:443'],
  ['192.0.2.9', '192.0.2.9'],
  ['192.0.2.9:', '192.0.2.9:'],
  ['example.com:443', 'example.com:443'],
  ['[::1]x', '[::1]x'],
])('%s without a port is %s', (text, address) => expect(withoutPort(text)).toBe(address));

test.each([
  ['192.0.2.9:50001', '192.0.2.9'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['[fe80::1%eth0]:443', 'fe80::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['2001:db8::7', '2001:db8::7'],
  ['192.0.2.9', '192.0.2.9'],
])('%s without brackets, port and zone is %s', (text, address) => expect(bareAddress(text)).toBe(address));

describe('clientNetwork', () => {
  test.each([
    [null, 'unknown'],
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::ffff:10.0.2.3', '10.0.2.3'],
    ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
    ['1:2::3:4:5:203.0.113.9', '1:2:0:3::/64'],
  ])('for %j is %j', (ip, network) => expect(clientNetwork(ip)).toBe(network));

  test('is the same for every spelling of an address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        expect(clientNetwork(ip.toUpperCase())).toBe(clientNetwork(canonical(ip)));
      }),
      { numRuns: 1000 },
    );
  });

  test('is the same for two IPv6 addresses exactly when their first 64 bits are equal', () => {
    const group = fc.nat({ max: 0xffff });
    const groups = fc.array(fc.oneof(fc.constant(0), group), { minLength: 8, maxLength: 8 });
    const write = (parts: number[]) => canonical(parts.map((part) => part.toString(16)).join(':'));
    fc.assert(
      fc.property(groups, groups, fc.nat({ max: 3 }), group, (one, other, at, changed) => {
        const network = clientNetwork(write(one));
        fc.pre(!isIPv4(network));
        const neighbour = [...one.slice(0, 4), ...other.slice(4)];
        fc.pre(!isIPv4(clientNetwork(write(neighbour))));
        expect(clientNetwork(write(neighbour))).toBe(network);
        fc.pre(one[at] !== changed);
        expect(clientNetwork(write(one.with(at, changed)))).not.toBe(network);
      }),
    );
  });
});

describe('canonicalAddress', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:0DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['10:0:0:2:30:0:0:0', '10:0:0:2:30::'],
    ['::', '::'],
    ['::1', '::1'],
  ])('for %s is %s', (ip, spelled) => expect(canonicalAddress(ip)).toBe(spelled));

  test('spells addresses like browsers do', () => {
    const group = fc.oneof(fc.constant(0), fc.nat({ max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const ip = groups.map((each) => each.toString(16)).join(':');
        fc.pre(!isIPv4(clientNetwork(ip)));
        expect(canonicalAddress(ip.toUpperCase())).toBe(canonical(ip));
        expect(canonicalAddress(canonical(ip))).toBe(canonical(ip));
      }),
      { numRuns: 1000 },
    );
  });
});
