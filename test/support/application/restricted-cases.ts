import fc from 'fast-check';
import { OPERATIONS } from '#domain/keys/verdict.js';
import type { NaiveKey, NaiveRequest } from './naive-judge.js';

const LONG = 's'.repeat(100);
const resource = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('systems', 'systems/1', 'systems/1/disks', 'systems/12', 'a', 'a/b') },
  fc.constantFrom('Systems', LONG, 'a//b', 'a/..', 'a/', 'a/./b'),
);
const action = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom('read', 'write') },
  fc.constantFrom('delete', 'Read', '1read', 'r'.repeat(28)),
);
/** What an account may have: some values are older than the grammar of new ones. */
const permission = fc.tuple(resource, action).map((parts) => parts.join(':'));
const malformed = fc.constantFrom(
  ...['', ':', 'systems', 'systems:', ':read', 'systems:read:write', 'systems:*', '*:read', 'systems/*:read'],
  ...['systems :read', ' systems:read', 'systems:read\n', 'ѕystems:read', '/a:read', '..:read', '-a:read'],
  ...['a%2Fb:read', `${LONG}s:read`, `systems:${'r'.repeat(29)}`],
);
const network = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom(
      ...['10.0.0.0/8', '10.1.2.3', '10.1.2.3/31', '10.1.2.2/32', '::ffff:10.1.0.0/112', '128.0.0.0/1'],
      ...['2001:db8::/32', '2001:db8::1/128', '2001:DB8::9/33', '::/1', 'fd00::/8'],
    ),
  },
  fc.constantFrom(
    ...['0.0.0.0/0', '::/0', '::ffff:0:0/96', '10.0.0.0/33', 'host.example', 'fe80::1%eth0', '10.0.0.1:80'],
  ),
);
const clientAddress = fc.constantFrom(
  ...[null, 'nonsense', '10.1.2.3', '10.1.2.2', '::ffff:10.1.2.3', '::FFFF:a01:203', '11.0.0.1', '127.255.255.255'],
  ...['128.0.0.0', '2001:db8::1', '2001:DB8:0::1', '2001:db8:8000::', '2001:db9::1', 'fd12::1', '7fff::', '8000::'],
);

/** No key can be made with an empty list. */
const seldomEmpty = <T>(each: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<readonly T[]> =>
  fc.oneof({ weight: 20, arbitrary: fc.array(each, { minLength: 1, maxLength }) }, fc.constant([]));

const owned = fc.array(permission, { minLength: 1, maxLength: 6 });
/** A permission of the owner, or one below it. */
const coveredBy = (permissions: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...permissions), fc.constantFrom('', '/1', '/1/disks'))
    .map(([own, path]) => own.replace(':', `${path}:`));
const chosenFrom = (permissions: readonly string[]) =>
  fc.oneof({ weight: 40, arbitrary: coveredBy(permissions) }, { weight: 2, arbitrary: permission }, malformed);
const keyOf = (permissions: readonly string[]): fc.Arbitrary<NaiveKey> =>
  fc.record({
    access: fc.constantFrom('read-and-write', 'read-and-write', 'read-only'),
    permissions: fc.option(seldomEmpty(chosenFrom(permissions), 3), { nil: undefined }),
    allowedNetworks: fc.option(seldomEmpty(network, 2), { nil: undefined, freq: 2 }),
  });
/** What happens to the owner and the key before the request. */
const change = fc.oneof(
  { weight: 4, arbitrary: owned.map((permissions) => ({ is: 'permissions' as const, permissions })) },
  fc
    .constantFrom<'suspend' | 'delete' | 'reactivate' | 'rotate' | 'revoke'>(
      'suspend',
      'delete',
      'reactivate',
      'rotate',
      'revoke',
    )
    .map((is) => ({ is })),
);
const requestOf = (permissions: readonly string[]): fc.Arbitrary<NaiveRequest> =>
  fc.record({
    operation: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('read', 'write') }, fc.constantFrom(...OPERATIONS)),
    permission: fc.oneof(fc.constant(''), permission, coveredBy(permissions)),
    clientAddress,
  });

export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** An owner's permissions, a key that the owner makes, what happens then, and a request with the key. */
export const restrictedCases = owned.chain((permissions) =>
  fc.record({
    permissions: fc.constant(permissions),
    key: keyOf(permissions),
    changes: fc.array(change, { maxLength: 3 }),
    request: requestOf(permissions),
  }),
);
