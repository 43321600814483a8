import { isIP } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bareAddress, isIpv4, parseAddress, spellAddress, withoutPort } from './ip-address.js';

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
      { numRuns: 5000 },
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
