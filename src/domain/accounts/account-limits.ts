import { optional, type Rule, wholeNumberProblem } from '../errors.js';
import { type AccessLevel, accessProblem } from './access-level.js';
import type { RateLimit } from '../rate-limit.js';

export const MAX_RATE = 1_000_000;
/** The highest number of active keys and of days, of the service and of an account. */
export const MAX_ACTIVE_KEYS = 100;
export const MAX_KEY_DAYS = 365;

/** What the platform allows the keys of one account. An absent limit is the service's own. */
export interface AccountLimits {
  /** For each key. */
  readonly requestsPerSecond?: number;
  /** For each key. */
  readonly burst?: number;
  readonly maxAccess?: AccessLevel;
  readonly maxKeyDays?: number;
  readonly maxActiveKeys?: number;
  /** No key can be created, rotated or imported. */
  readonly noNewKeys?: boolean;
}

export function limitProblems(limits: AccountLimits): Record<`limits.${keyof AccountLimits}`, string | undefined> {
  return {
    'limits.requestsPerSecond': upTo(MAX_RATE)(limits.requestsPerSecond),
    'limits.burst': upTo(MAX_RATE)(limits.burst),
    'limits.maxAccess': optional(accessProblem)(limits.maxAccess),
    'limits.maxKeyDays': upTo(MAX_KEY_DAYS)(limits.maxKeyDays),
    'limits.maxActiveKeys': upTo(MAX_ACTIVE_KEYS)(limits.maxActiveKeys),
    'limits.noNewKeys': undefined,
  };
}

export function accessCeiling({ maxAccess = 'read-and-write' }: AccountLimits): AccessLevel {
  return maxAccess;
}

export function rateLimitOf({ requestsPerSecond, burst }: AccountLimits, service: RateLimit): RateLimit {
  if (requestsPerSecond === undefined && burst === undefined) return service;
  return { perSecond: requestsPerSecond ?? service.perSecond, burst: burst ?? service.burst };
}

/** What a door reads. The compiler reports a limit that it leaves out. */
export type EveryLimit = { [Limit in keyof AccountLimits]-?: AccountLimits[Limit] | undefined };

/** Without those that are undefined, or false. */
export function givenLimits(limits: Partial<EveryLimit>): AccountLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined && limit !== false));
}

function upTo(most: number): Rule {
  return optional((value) => wholeNumberProblem(value, 1, most));
}
