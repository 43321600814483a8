import { BlockList, isIPv6 } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AllowedNetworks, allowedNetworksProblem, normalizeNetworks } from './allowed-networks.js';

const allows = (networks: string[], address: string | null) => AllowedNetworks.restore(networks).allow(address);

/** Addresses and networks that are close to each other, so that many contain many. */
const v4 = fc
  .tuple(fc.constantFrom(10, 192), fc.constantFrom(0, 168), fc.nat({ max: 3 }), fc.nat({ max: 255 }))
  .map((o) => o.join('.'));
const v6 = fc
  .tuple(fc.constantFrom('2001:db8', 'fd00:0', '0:0'), fc.nat({ max: 3 }), fc.nat({ max: 0xffff }))
  .map(([start, middle, end]) => `${start}:${middle}:0:0:0:0:${end.toString(16)}`);
const networks = fc.oneof(
  fc.tuple(v4, fc.integer({ min: 1, max: 32 })).map(([ip, length]) => `${ip}/${length}`),
  fc.tuple(v6, fc.integer({ min: 1, max: 128 })).map(([ip, length]) => `${ip}/${length}`),
);

describe('AllowedNetworks', () => {
  test('allow an address exactly when Node finds it in one of the ranges of its own kind', () => {
    fc.assert(
      fc.property(fc.array(networks, { minLength: 1, maxLength: 20 }), fc.oneof(v4, v6), (ranges, address) => {
        const list = new BlockList();
        for (const range of normalizeNetworks(ranges)) {
          const [ip, length] = range.split('/') as [string, string];
          if (isIPv6(ip) !== isIPv6(address)) continue;
          list.addSubnet(ip, Number(length), isIPv6(ip) ? 'ipv6' : 'ipv4');
        }
        expect(allows(ranges, address)).toBe(list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'));
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, string | null, boolean]>([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['203.0.113.9', '203.0.113.9', true],
    ['203.0.113.9', '203.0.113.8', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['2001:db8::1', '2001:DB8:0:0::1', true],
    ['::/1', '10.1.2.3', false],
    ['::/1', '::ffff:10.1.2.3', false],
    ['10.0.0.0/8', null, false],
    ['10.0.0.0/8', '10.1.2.3, 10.1.2.4', false],
    ['10.0.0.0/8', '', false],
    ['no network', '10.1.2.3', false],
  ])('%s allow %j: %j', (network, address, expected) => {
    expect(allows([network], address)).toBe(expected);
  });

  test('give the same answer to an address, regardless of the addresses before it', () => {
    fc.assert(
      fc.property(fc.array(networks, { minLength: 1, maxLength: 3 }), fc.array(fc.option(v4)), (ranges, addresses) => {
        const shared = AllowedNetworks.restore(ranges);
        const answers = addresses.map((address) => shared.allow(address));
        expect(answers).toEqual(addresses.map((address) => allows([...ranges], address)));
      }),
      { numRuns: 2000 },
    );
  });

  test('allow nothing when they are empty', () => {
    expect(allows([], '10.1.2.3')).toBe(false);
  });
});

test('normalizeNetworks clears the bits after the length, and lists each network once', () => {
  const given = [
    '10.1.2.3/8',
    '10.0.0.0/8',
    '::FFFF:10.9.9.9/104',
    '2001:DB8::1/32',
    '203.0.113.9',
    '2001:db8::1',
    '::ffff:1.2.3.4',
  ];
  const networks = ['10.0.0.0/8', '2001:db8::/32', '203.0.113.9/32', '2001:db8::1/128', '1.2.3.4/32'];
  expect(normalizeNetworks(given)).toEqual(networks);
});

describe('allowedNetworksProblem', () => {
  test.each([[['10.0.0.0/8']], [['10.1.2.3/8', '::1']], [['192.168.0.0/16', 'fd00::/8', '0.0.0.0/1']]])(
    'accepts %j',
    (value) => expect(allowedNetworksProblem(value)).toBeUndefined(),
  );

  test('accepts 20 networks and refuses 21', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `10.0.${index}.0/24`);
    expect(allowedNetworksProblem(many(20))).toBeUndefined();
    expect(allowedNetworksProblem(many(21))).toMatch(/^must be a list of 1 to 20 networks/);
  });

  test.each<[unknown, RegExp]>([
    [[], /leave the field out to allow every address/],
    [null, /must be a list/],
    ['10.0.0.0/8', /must be a list/],
    [{ 0: '10.0.0.0/8', length: 1 }, /must be a list/],
    [[8], /must hold texts/],
    [[['10.0.0.0/8']], /must hold texts/],
    [['0.0.0.0/0'], /every address: leave the field empty/],
    [['1.2.3.4/0'], /every address: leave the field empty/],
    [['::/0'], /every address: leave the field empty/],
    [['::ffff:0.0.0.0/96'], /every address: leave the field empty/],
    [['10.0.0.0/8', '10.0.0.0/33'], /holds "10.0.0.0\/33", which has no valid length/],
    [['10.0.0.0/'], /no valid length/],
    [['10.0.0.0/08'], /no valid length/],
    [['10.0.0.0/+8'], /no valid length/],
    [['10.0.0.0/8/8'], /no valid length/],
    [['2001:db8::/129'], /no valid length/],
    [['::ffff:10.0.0.0/95'], /no valid length/],
    [['10.0.0.1:443'], /has a port/],
    [['[2001:db8::1]:443'], /has a port/],
    [['[2001:db8::1]'], /brackets/],
    [['fe80::1%eth0'], /has a zone/],
    [['fe80::%25eth0/64'], /has a zone/],
    [['example.com'], /is a name/],
    [['localhost'], /is a name/],
    [['10.0.0.*'], /must be an IPv4 or IPv6 network such as/],
    [['10.0.0.0-10.0.0.9'], /must be an IPv4 or IPv6 network such as/],
    [['10.0.0.0 /8'], /must be an IPv4 or IPv6 network such as/],
    [['010.0.0.0/8'], /must be an IPv4 or IPv6 network such as/],
    [['１０.0.0.0/8'], /must be an IPv4 or IPv6 network such as/],
    [[''], /must be an IPv4 or IPv6 network such as/],
  ])('refuses %j', (value, problem) => expect(allowedNetworksProblem(value)).toMatch(problem));

  test('repeats no key that somebody pasted', () => {
    const key = `${'a1'.repeat(12)}.${'b2'.repeat(32)}`;
    expect(allowedNetworksProblem([key])).not.toContain('b2b2');
  });
});
