import { expect, test } from '@jest/globals';
import { rateLimitWindowSeconds } from '#domain/rate-limit.js';
import { MemoryRateLimiter } from '#infrastructure/outbound/memory/memory-rate-limiter.js';
import { isLong, printFigures, shortOrLong } from '../support/jest/long-form.js';
import { Leases, type Wish } from '../../clients/node/src/leases.js';
import type { Use } from '../../clients/node/src/lease-uses.js';
import { simulate } from './simulation.js';
import { type Rule, RULES } from './world.js';

const SCHEDULES = shortOrLong(5000, 1_000_000);
const SEED = 20_261_126;

test('no request that starts after a change was answered is granted against it from a lease, in any schedule', async () => {
  const { leasesUsed, report, failed } = await simulate(SCHEDULES, SEED);
  printFigures('leases in virtual time', { schedules: SCHEDULES, leasesUsed, violations: failed ? 1 : 0 });
  expect(report ?? 'no violation').toBe('no violation');
  expect(leasesUsed).toBeGreaterThan(SCHEDULES / 20);
}, 7_200_000);

/** Without one of these, a violation is found soon. */
const FOUND_SOON = [
  'a guard notes its clocks before the call',
  'the larger of both clocks counts',
  'a short rotation is a change, and then there is no lease',
] as const satisfies readonly Rule[];

test.each(isLong ? RULES : FOUND_SOON)(
  'the simulation finds a violation when this rule is removed: %s',
  async (rule) => {
    const { found } = await simulate(20_000, SEED, rule);
    printFigures(`without "${rule}"`, { 'found after schedules': found ?? 'never' });
    expect(found).toBeDefined();
  },
  600_000,
);

const LEASE_MS = 500;
const USE: Use = { credential: { authorization: 'a' }, operation: 'READ', permission: '', clientIp: '' };
const principal = {
  keyId: 'k1',
  ownerId: 'u1',
  access: 'read-only',
  permissions: [],
  attributes: {},
  expiresAt: new Date(8e15),
} as const;
const GRANTED = { allowed: true, principal, rateLimit: undefined } as const;
const LIMITED = {
  allowed: false,
  status: 429,
  reason: 'RATE_LIMITED',
  retryAfterSeconds: 1,
  missingPermission: undefined,
  keyId: 'k1',
  ownerId: 'u1',
  rateLimit: undefined,
} as const;

/** Guards that share a key, and answers that take no time. Returns when each request was admitted or limited. */
function play(limit: { perSecond: number; burst: number }, guards: number, perSecond: number, seconds: number) {
  let nowMs = 0;
  const limiter = new MemoryRateLimiter(() => nowMs * 1000);
  const clock = () => nowMs;
  const all = Array.from({ length: guards }, () => new Leases({ wall: clock, monotonic: clock }));
  const admitted: number[] = [];
  let limited = 0;
  const call = (leases: Leases, wish: Wish | undefined) => {
    const { admitted: isAdmitted, usesAhead = 0 } = limiter.charge('k1', limit, wish?.uses ?? 0);
    const lease = { lengthMs: LEASE_MS, uses: usesAhead, hasOwnPermissions: false, allowedNetworks: [] };
    if (wish) leases.ended(wish, isAdmitted ? GRANTED : LIMITED, usesAhead > 0 ? lease : null);
    return isAdmitted;
  };
  for (let n = 0; n < perSecond * seconds; n += 1) {
    nowMs = (n * 1000) / perSecond;
    const leases = all[n % guards]!;
    const key = leases.keyOf(USE.credential)!;
    const held = leases.grantFor(key, USE);
    if (held?.renewal) call(leases, held.renewal);
    if (held || call(leases, leases.next(key, USE) as Wish | undefined)) admitted.push(nowMs);
    else limited += 1;
  }
  limiter.close();
  return { admitted, limited };
}

test.each([
  [2, 2.5],
  [2, 5],
  [3, 5],
  [10, 5],
  [1, 5],
])(
  '%i guards with %d requests a second in all, a quarter of the limit, are never limited because of leases',
  (guards, perSecond) => {
    // The burst is 2 × rate × LEASE_MS.
    expect(play({ perSecond: 20, burst: 20 }, guards, perSecond, 120).limited).toBe(0);
  },
);

test.each([1, 2, 5, 20])('%i guards admit at most the burst, and the rate of any window and one LEASE_MS', (guards) => {
  const limit = { perSecond: 20, burst: 20 };
  const { admitted } = play(limit, guards, 400, 30);
  const windowMs = 1000 * rateLimitWindowSeconds(limit);
  for (const [index, at] of admitted.entries()) {
    const within = admitted.findIndex((other) => other > at + windowMs);
    const count = (within === -1 ? admitted.length : within) - index;
    expect(count).toBeLessThanOrEqual(limit.burst + (limit.perSecond * (windowMs + LEASE_MS)) / 1000);
  }
  expect(admitted.length).toBeGreaterThan(0.5 * limit.perSecond * 30);
});
