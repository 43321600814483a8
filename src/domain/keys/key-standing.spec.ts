import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AccountStatus } from '../accounts/account.js';
import { ACCESS_LEVELS, type AccessLevel } from '../accounts/access-level.js';
import { type DenialReason, type Operation, OPERATIONS, type Verdict } from './verdict.js';
import { type AccountLimits, type Entitlements, NO_ENTITLEMENTS } from '../accounts/entitlements.js';
import { NEVER_PAUSED, type KeyTimes } from './key-status.js';
import { KeyStanding } from './key-standing.js';

const DAY = 24 * 60 * 60 * 1000;
const NOW = new Date('2026-03-29T00:30:00.000Z');
const DIGEST = Buffer.alloc(32, 7);
const at = (ms: number) => new Date(NOW.getTime() + ms);

interface Situation {
  readonly revoked: boolean;
  readonly expired: boolean;
  readonly paused: boolean;
  readonly owner: AccountStatus;
  readonly withinRateLimit: boolean;
  readonly operation: Operation;
  readonly access: AccessLevel;
  readonly owned: string[];
  readonly permission: string;
  readonly subset: string[] | null;
  readonly networks: string[] | null;
  readonly clientAddress: string | null;
}

const GOOD: Situation = {
  revoked: false,
  expired: false,
  paused: false,
  owner: 'active',
  withinRateLimit: true,
  operation: 'write',
  access: 'read-and-write',
  owned: ['systems:read', 'systems:write', 'systems:delete'],
  permission: 'systems:write',
  subset: null,
  networks: null,
  clientAddress: null,
};

function standing(
  { revoked, paused, owner, access, owned, subset, networks }: Situation,
  part: Partial<KeyTimes & { awaitsUse: boolean }> = {},
  entitled: Partial<Entitlements> = {},
): KeyStanding {
  return new KeyStanding({
    ...NEVER_PAUSED,
    id: 'k1',
    ownerId: 'u1',
    access,
    digest: DIGEST,
    createdAt: NOW,
    expiresAt: at(DAY),
    revokedAt: revoked ? NOW : null,
    expiredAt: null,
    endsAt: null,
    ...NEVER_PAUSED,
    pausedUntil: paused ? at(2 * DAY) : null,
    awaitsUse: false,
    permissions: subset,
    allowedNetworks: networks,
    owner: { ...NO_ENTITLEMENTS, ...entitled, status: owner, permissions: owned },
    ...part,
  });
}

function verdictIn(part: Partial<Situation> = {}): Verdict {
  const situation = { ...GOOD, ...part };
  return standing(situation).verdictOn(situation, situation.withinRateLimit, at(situation.expired ? DAY : 0));
}

/** Each reason with the one fault that leads to it, in the order of judgement. */
const FAULTS: [DenialReason, Partial<Situation>][] = [
  ['revoked', { revoked: true }],
  ['expired', { expired: true }],
  ['paused', { paused: true }],
  ['owner-suspended', { owner: 'suspended' }],
  ['owner-deleted', { owner: 'deleted' }],
  ['address-not-allowed', { networks: ['10.0.0.0/8'] }],
  ['rate-limited', { withinRateLimit: false }],
  ['operation-not-allowed', { operation: 'destroy' }],
  ['read-only-key', { access: 'read-only' }],
  ['missing-permission', { permission: 'users:write' }],
];

test('KeyStanding knows its key, its status and whether its end is due', () => {
  const living = standing(GOOD);
  expect([living.id, living.ownerId, living.proof.digest]).toEqual(['k1', 'u1', DIGEST]);
  expect([living.status(at(DAY - 1)), living.isEndDue(at(DAY - 1))]).toEqual(['active', false]);
  expect([living.status(at(DAY)), living.isEndDue(at(DAY))]).toEqual(['expired', true]);
  const recorded = standing(GOOD, { expiredAt: at(DAY) });
  expect([recorded.status(NOW), recorded.isEndDue(at(DAY))]).toEqual(['expired', false]);
  expect(recorded.verdictOn(GOOD, true, NOW)).toEqual({ granted: false, reason: 'expired' });
});

describe('KeyStanding of an owner with limits and attributes', () => {
  const limited = (limits: AccountLimits, part: Partial<Situation> = {}) =>
    standing({ ...GOOD, ...part }, {}, { limits });

  test('grants the lower access of the key and the owner, and what follows from it', () => {
    const readOnly = limited({ maxAccess: 'read-only' });
    const read = { ...GOOD, operation: 'read', permission: '' } as const;
    expect(readOnly.verdictOn(read, true, NOW)).toMatchObject({ access: 'read-only', permissions: ['systems:read'] });
    expect(readOnly.verdictOn(GOOD, true, NOW)).toMatchObject({ granted: false, reason: 'read-only-key' });
    const low = limited({ maxAccess: 'read-and-write' }, { access: 'read-only' });
    expect(low.verdictOn(read, true, NOW)).toMatchObject({ access: 'read-only', permissions: ['systems:read'] });
  });

  test('is charged by the rate and burst of the owner, or by those of the service', () => {
    const service = { perSecond: 20, burst: 100 };
    expect(limited({}).rateLimit(service)).toBe(service);
    expect(limited({ requestsPerSecond: 1, burst: 2 }).rateLimit(service)).toEqual({ perSecond: 1, burst: 2 });
  });

  test('grants with the attributes of the owner, also after the owner was read again', () => {
    const attributes = [{ name: 'tenant', value: 'acme' }];
    const owner = { ...NO_ENTITLEMENTS, status: 'active', permissions: GOOD.owned, attributes } as const;
    expect(standing(GOOD, {}, { attributes }).verdictOn(GOOD, true, NOW)).toMatchObject({ granted: true, attributes });
    expect(standing(GOOD).ownedBy(owner).verdictOn(GOOD, true, NOW)).toMatchObject({ granted: true, attributes });
    const ceiling = standing(GOOD).ownedBy({ ...owner, limits: { maxAccess: 'read-only' } });
    expect(ceiling.verdictOn(GOOD, true, NOW)).toMatchObject({ granted: false, reason: 'read-only-key' });
  });
});

describe('KeyStanding.verdictOn', () => {
  test('grants what the key, its access level and its owner allow', () => {
    expect(verdictIn()).toEqual({
      granted: true,
      keyId: 'k1',
      ownerId: 'u1',
      access: 'read-and-write',
      permissions: ['systems:read', 'systems:write'],
      attributes: [],
      createdAt: at(0),
      expiresAt: at(DAY),
    });
  });

  test.each(FAULTS)('denies with the reason %s', (reason, fault) => {
    expect(verdictIn(fault)).toMatchObject({ granted: false, reason });
  });

  test('treats an owner with an unknown status as suspended', () => {
    expect(verdictIn({ owner: 'locked' as AccountStatus })).toEqual({ granted: false, reason: 'owner-suspended' });
  });

  const pairs = FAULTS.flatMap(([first, one], index) =>
    FAULTS.slice(index + 1).map(([second, other]) => ({ first, second, both: { ...other, ...one } })),
  );
  test.each(pairs)('answers $first for $first and $second', ({ first, both }) => {
    expect(verdictIn(both)).toMatchObject({ granted: false, reason: first });
  });

  test.each(OPERATIONS.filter((operation) => !['read', 'write'].includes(operation)))(
    'denies every key the operation %s',
    (operation) => {
      const owned = [`systems:${operation}`, 'systems:delete', 'users:impersonate', 'systems:read', 'systems:write'];
      for (const access of ACCESS_LEVELS) {
        for (const permission of ['', ...owned]) {
          const denied = { granted: false, reason: 'operation-not-allowed' };
          expect(verdictIn({ operation, access, owned, permission })).toEqual(denied);
        }
      }
    },
  );

  test('requires no permission when the question names none', () => {
    expect(verdictIn({ permission: '', owned: [] })).toMatchObject({ granted: true, permissions: [] });
  });

  test('reports a permission with another action as missing, even when the owner has it', () => {
    const denied = { granted: false, reason: 'missing-permission' };
    expect(verdictIn({ permission: 'systems:delete' })).toEqual({ ...denied, missing: 'systems:delete' });
    const readOnly = verdictIn({ access: 'read-only', operation: 'read', permission: 'systems:write' });
    expect(readOnly).toEqual({ ...denied, missing: 'systems:write' });
  });

  test('reports a missing write permission for a read-only key, but no read permission', () => {
    const verdictOnWrite = (permission: string) => verdictIn({ access: 'read-only', operation: 'write', permission });
    const denied = { granted: false, reason: 'read-only-key' };
    expect(verdictOnWrite('systems:write')).toEqual({ ...denied, missing: 'systems:write' });
    expect([verdictOnWrite('systems:read'), verdictOnWrite('')]).toEqual([denied, denied]);
  });

  test('never grants more than the permissions, the access level and the statuses allow', () => {
    const permissions = fc.constantFrom('a:read', 'a:write', 'a:delete', 'b:read', 'b:impersonate');
    const situations: fc.Arbitrary<Situation> = fc.record({
      subset: fc.constant(null),
      networks: fc.constant(null),
      clientAddress: fc.constant(null),
      revoked: fc.boolean(),
      expired: fc.boolean(),
      paused: fc.boolean(),
      owner: fc.constantFrom<AccountStatus>('active', 'suspended', 'deleted'),
      withinRateLimit: fc.boolean(),
      operation: fc.constantFrom(...OPERATIONS),
      access: fc.constantFrom(...ACCESS_LEVELS),
      owned: fc.array(permissions),
      permission: fc.oneof(fc.constant(''), permissions),
    });
    fc.assert(
      fc.property(situations, (situation) => {
        const { revoked, expired, paused, owner, withinRateLimit, operation, access, owned, permission } = situation;
        const writes = access === 'read-and-write';
        const allowed = owned.filter((p) => p.endsWith(':read') || (writes && p.endsWith(':write')));
        const mayGrant =
          !revoked &&
          !expired &&
          !paused &&
          owner === 'active' &&
          withinRateLimit &&
          (operation === 'read' || (operation === 'write' && writes)) &&
          (permission === '' || allowed.includes(permission));
        const verdict = verdictIn(situation);
        expect(verdict.granted).toBe(mayGrant);
        if (verdict.granted) expect(verdict.permissions).toEqual(allowed);
      }),
      { numRuns: 1000 },
    );
  });
});
