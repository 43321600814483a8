import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import { narrowerThan, type NaiveKey } from '#test/support/application/naive-judge.js';
import { printFigures, shortOrLong } from '#test/support/jest/long-form.js';
import { LatchkeyError } from '../errors.js';
import { requireValid, ROTATION_FIELDS } from './key-rules.js';
import { restrictionsOf } from './key-restrictions.js';
import { narrowed, type Narrowing } from './narrowing.js';

const OWNED = ['systems:read', 'systems:write', 'logs:read'];
const NETWORKS = ['203.0.113.0/24', '2001:db8::/32'];

function narrow(key: NaiveKey, wish: Narrowing, permissions: readonly string[] = OWNED) {
  try {
    requireValid(ROTATION_FIELDS, { ...wish, graceSeconds: 0 });
    return narrowed({ access: key.access, ...restrictionsOf(key) }, wish, { permissions, policy: POLICY });
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

describe('narrowed', () => {
  test.each<[string, Partial<NaiveKey>, Narrowing, object]>([
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

  test.each<[Partial<NaiveKey>, Narrowing, string]>([
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
    fc.assert(judged, { numRuns: shortOrLong(5000, 100_000) });
    expect(Math.min(counts.granted, counts.refused)).toBeGreaterThan(500);
    printFigures('narrower rotations', counts);
  });
});
