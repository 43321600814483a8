import type { AccountLimits } from '../accounts/account-limits.js';
import { lowerAccess, type AccessLevel } from './access.js';

/** What the operator allows new keys of every account. */
export interface ServicePolicy {
  readonly maxActiveKeys: number;
  readonly maxKeyDays: number;
}

/** What is allowed for new keys of one account. */
export interface KeyPolicy extends ServicePolicy {
  readonly maxAccess: AccessLevel;
  /** The limits that the account's own limits set. */
  readonly limitedByAccount: readonly (keyof ServicePolicy | 'maxAccess')[];
}

/** An account's own number of keys replaces the service's, up or down. Its days and its access only lower them. */
export function keyPolicy(service: ServicePolicy, { maxActiveKeys, maxKeyDays, maxAccess }: AccountLimits): KeyPolicy {
  const policy = {
    maxActiveKeys: maxActiveKeys ?? service.maxActiveKeys,
    maxKeyDays: Math.min(service.maxKeyDays, maxKeyDays ?? service.maxKeyDays),
    maxAccess: lowerAccess('read-and-write', maxAccess),
  };
  const limitedByAccount = [
    ...(maxActiveKeys === undefined ? [] : (['maxActiveKeys'] as const)),
    ...(policy.maxKeyDays < service.maxKeyDays ? (['maxKeyDays'] as const) : []),
    ...(policy.maxAccess === 'read-only' ? (['maxAccess'] as const) : []),
  ];
  return { ...policy, limitedByAccount };
}
