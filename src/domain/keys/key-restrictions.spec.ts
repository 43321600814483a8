import { BlockList, isIPv6 } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import { type NaiveKey, narrowerThan } from '#test/support/application/naive-judge.js';
import { printFigures, shortOrLong } from '#test/support/jest/long-form.js';
import { LatchkeyError } from '../errors.js';
import { NEVER_PAUSED } from './key-status.js';
import {
  isProof,
  keyPermissionsProblem,
  type KeyRestrictions,
  pausedDigest,
  restrictionsOf,
  storedDigest,
} from './key-restrictions.js';
import { AllowedNetworks, allowedNetworksProblem, normalizeNetworks } from './allowed-networks.js';
import { requireValid, ROTATION_FIELDS } from './key-rules.js';
import { narrowed, type Narrowing } from './narrowing.js';

describe('keyPermissionsProblem', () => {
  const longest = `${'r'.repeat(100)}:read`;
  test.each([[['systems:read']], [['systems/sys-1:read', 'systems:write']], [[longest]], [['a/..b/c.:read']]])(
    'accepts %j',
    (value) => expect(keyPermissionsProblem(value)).toBeUndefined(),
  );

  test('accepts 100 permissions and refuses 101', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `systems/${index}:read`);
    expect(keyPermissionsProblem(many(100))).toBeUndefined();
    expect(keyPermissionsProblem(many(101))).toMatch(/^must be a list of 1 to 100 permissions/);
  });

  test.each<[unknown, RegExp]>([
    [[], /leave the field out for all that the owner has/],
    [null, /must be a list/],
    ['systems:read', /must be a list/],
    [[1], /must hold texts/],
    [['systems:read', 'systems'], /holds "systems", which must have the form resource:action/],
    [['systems:*'], /up to 28 characters of \[a-z0-9._-\]/],
    [['*:read'], /the form resource:action/],
    [['a:b:c'], /the form resource:action/],
    [[' systems:read'], /the form resource:action/],
    [['systems:read\n'], /up to 28 characters/],
    [['ѕystems:read'], /the form resource:action/],
    [['systems:Read'], /up to 28 characters/],
    [['systems:9read'], /up to 28 characters/],
    [[`systems:${'a'.repeat(29)}`], /up to 28 characters/],
    [[`${'r'.repeat(101)}:read`], /at most 100 characters/],
    [['systems//42:read'], /empty or only dots/],
    [['systems/:read'], /empty or only dots/],
    [['systems/..:read'], /empty or only dots/],
    [['systems/./42:read'], /empty or only dots/],
    [['/systems:read'], /the form resource:action/],
    [['systems%2F42:read'], /the form resource:action/],
  ])('refuses %j', (value, problem) => expect(keyPermissionsProblem(value)).toMatch(problem));

  test('refuses an API key and does not repeat it', () => {
    const problem = keyPermissionsProblem([`systems/${'a1'.repeat(12)}.${'b2'.repeat(32)}:read`]);
    expect(problem).toBe('must not contain an API key');
  });
});

describe('storedDigest', () => {
  const DIGEST = Buffer.alloc(32, 7);
  const NONE: KeyRestrictions = { permissions: null, allowedNetworks: null };
  const LIMITED: KeyRestrictions = { permissions: ['a:read', 'b:read'], allowedNetworks: ['10.0.0.0/8'] };

  test('is the digest of the key string for a key without restrictions', () => {
    expect(storedDigest(DIGEST, NONE)).toEqual(DIGEST);
  });

  test('proves a key with restrictions only together with them', () => {
    const digest = storedDigest(DIGEST, LIMITED);
    expect(digest).toHaveLength(32);
    expect(isProof(DIGEST, { ...NEVER_PAUSED, ...LIMITED, digest })).toBe(true);
    const changed: Partial<KeyRestrictions>[] = [
      NONE,
      { permissions: null },
      { allowedNetworks: null },
      { permissions: ['a:read'] },
      { permissions: ['a:read', 'b:read', 'c:read'] },
      { permissions: ['b:read', 'a:read'] },
      { allowedNetworks: ['10.0.0.0/7'] },
      { permissions: ['a:read', 'b:read', '10.0.0.0/8'], allowedNetworks: null },
    ];
    for (const change of changed)
      expect(isProof(DIGEST, { ...NEVER_PAUSED, ...LIMITED, ...change, digest })).toBe(false);
    expect(isProof(DIGEST, undefined)).toBe(false);
    expect(isProof(Buffer.alloc(32, 8), { ...NEVER_PAUSED, ...LIMITED, digest })).toBe(false);
  });

  test('of a key that was ever paused proves it only where pauses are known', () => {
    const digest = pausedDigest(storedDigest(DIGEST, LIMITED));
    const paused = { pausedUntil: new Date(0), adminPausedUntil: null };
    expect(isProof(DIGEST, { ...paused, ...LIMITED, digest })).toBe(true);
    expect(isProof(DIGEST, { ...NEVER_PAUSED, ...LIMITED, digest })).toBe(false);
  });
});

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
      { numRuns: 500 },
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
      { numRuns: 500 },
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

describe('narrowed', () => {
  const OWNED = ['systems:read', 'systems:write', 'logs:read'];
  const NETWORKS = ['203.0.113.0/24', '2001:db8::/32'];

  type Wish = Omit<Narrowing, 'policy' | 'ownerPermissions'>;

  function narrow(key: NaiveKey, wish: Wish, permissions: readonly string[] = OWNED) {
    try {
      requireValid(ROTATION_FIELDS, { ...wish, graceSeconds: 0 });
      const order = { ...wish, policy: POLICY, ownerPermissions: permissions };
      const { access, ...restrictions } = narrowed({ access: key.access, ...restrictionsOf(key) }, order);
      return { access, ...restrictionsOf(restrictions) };
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'invalid_fields')
        return error.details.errors!.map(({ field }) => field);
      throw error;
    }
  }

  const keyOf = (part: Partial<NaiveKey> = {}): NaiveKey => ({
    access: 'read-and-write',
    permissions: undefined,
    allowedNetworks: undefined,
    ...part,
  });

  test.each<[string, Partial<NaiveKey>, Wish, object]>([
    [
      'keeps everything without a wish',
      { permissions: ['logs:read'] },
      {},
      { permissions: ['logs:read'], access: 'read-and-write' },
    ],
    ['limits a key without permissions', {}, { permissions: ['logs:read'] }, { permissions: ['logs:read'] }],
    [
      'takes a part of what a permission covers',
      { permissions: ['logs:read'] },
      { permissions: ['logs/1:read'] },
      { permissions: ['logs/1:read'] },
    ],
    [
      'drops permissions to write with the access',
      { permissions: ['logs:read', 'systems:write'] },
      { access: 'read-only' },
      { access: 'read-only', permissions: ['logs:read'] },
    ],
    ['takes any network where the key has none', {}, { allowedNetworks: NETWORKS }, { allowedNetworks: NETWORKS }],
    [
      'takes a network inside another',
      { allowedNetworks: NETWORKS },
      { allowedNetworks: ['203.0.113.7'] },
      { allowedNetworks: ['203.0.113.7/32'] },
    ],
    ['takes no networks where the key has none', {}, { allowedNetworks: [] }, { allowedNetworks: null }],
  ])('%s', (_, key, wish, expected) => {
    expect(narrow(keyOf(key), wish)).toMatchObject(expected);
  });

  test.each<[Partial<NaiveKey>, Wish, string]>([
    [{ access: 'read-only' }, { access: 'read-and-write' }, 'access'],
    [{ permissions: ['systems:write'] }, { access: 'read-only' }, 'access'],
    [{ permissions: ['logs:read'] }, { permissions: ['systems:read'] }, 'permissions'],
    [{ permissions: ['logs/1:read'] }, { permissions: ['logs:read'] }, 'permissions'],
    [{}, { permissions: ['users:read'] }, 'permissions'],
    [{}, { permissions: [] }, 'permissions'],
    [{}, { access: 'read-only', permissions: ['systems:write'] }, 'permissions'],
    [{ permissions: ['gone:read'] }, { permissions: ['gone:read'] }, 'permissions'],
    [{ allowedNetworks: NETWORKS }, { allowedNetworks: [] }, 'allowedNetworks'],
    [{ allowedNetworks: NETWORKS }, { allowedNetworks: ['203.0.112.0/23'] }, 'allowedNetworks'],
    [{ allowedNetworks: NETWORKS }, { allowedNetworks: ['198.51.100.1'] }, 'allowedNetworks'],
    [{ allowedNetworks: ['::fffe:0:0/95'] }, { allowedNetworks: ['192.0.2.1'] }, 'allowedNetworks'],
  ])('of a key with %j refuses %j', (key, wish, field) => {
    expect(narrow(keyOf(key), wish)).toEqual([field]);
  });

  test('agrees with a naive judge over random keys and wishes', () => {
    const [resource, action] = [fc.constantFrom('a', 'a/b', 'a/b/c', 'a/bc', 'd'), fc.constantFrom('read', 'write')];
    const permissions = fc.uniqueArray(
      fc.tuple(resource, action).map((parts) => parts.join(':')),
      { minLength: 1, maxLength: 6 },
    );
    const octet = fc.constantFrom(0, 1, 128);
    const v4 = fc
      .tuple(octet, octet, fc.constantFrom(1, 8, 23, 24, 25, 32))
      .map(([b, d, length]) => `10.${b}.0.${d}/${length}`);
    const v6 = fc.tuple(
      fc.constantFrom('2001:db8::', '2001:db8:8000::', '::fffe:0:0', '::ffff:10.0.0.0'),
      fc.constantFrom(32, 33, 95, 96, 128),
    );
    const network = fc.oneof(
      v4,
      v6.filter(([text, length]) => !text.includes('.') || length >= 96).map((parts) => parts.join('/')),
    );
    const networks = fc.array(network, { minLength: 1, maxLength: 3 });
    const access = fc.constantFrom('read-only' as const, 'read-and-write' as const);
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
    const key = fc.record({ access, permissions: maybe(permissions), allowedNetworks: maybe(networks) });
    const wish = fc.record({
      access: maybe(access),
      permissions: maybe(fc.oneof({ weight: 9, arbitrary: permissions }, fc.constant([]))),
      allowedNetworks: maybe(fc.oneof({ weight: 9, arbitrary: networks }, fc.constant([]))),
    });
    const counts = { granted: 0, refused: 0 };
    const judged = fc.property(key, wish, permissions, (old, wished, owned) => {
      const outcome = narrow(old, wished, owned);
      counts[Array.isArray(outcome) ? 'refused' : 'granted'] += 1;
      const naive = narrowerThan(old, wished, owned);
      expect(Array.isArray(outcome) ? 'refused' : outcome).toEqual(
        naive === 'refused' ? naive : { access: naive.access, ...restrictionsOf(naive) },
      );
    });
    fc.assert(judged, { numRuns: shortOrLong(1000, 100_000) });
    expect(Math.min(counts.granted, counts.refused)).toBeGreaterThan(100);
    printFigures('narrower rotations', counts);
  });
});
