import type { AccountTerms } from '../accounts/account-change.js';
import { accessCeiling } from '../accounts/entitlements.js';
import { isCovered, permissionsToGive } from '../accounts/permission.js';
import { requireFields, LatchkeyError, Refusal } from '../errors.js';
import { ACCESS_LEVELS, type AccessLevel } from '../accounts/access-level.js';
import { DEFAULT_EXPIRY_DAYS } from './key-rules.js';
import { HOUR_MS } from '../time.js';

/** What the operator allows the keys of every account. */
export interface ServicePolicy {
  readonly maxActiveKeys: number;
  readonly maxKeyDays: number;
  /** Whether persons may have new keys. Default: yes. */
  readonly personalKeys?: boolean | undefined;
  /** Applies to existing keys too. Undefined: idle keys do not end. */
  readonly revokeIdleAfterDays?: number | undefined;
}

export interface KeyPolicy extends Omit<ServicePolicy, 'personalKeys'> {
  readonly maxAccess: AccessLevel;
  /** Whether keys can be created, rotated and imported. */
  readonly newKeys: boolean;
  /** The limits that the account's own limits set. */
  readonly limitedByAccount: readonly ('maxActiveKeys' | 'maxKeyDays' | 'maxAccess' | 'newKeys')[];
}

/** An account's own number of keys replaces the service's, up or down. Its days and its access only lower them. */
export function keyPolicy(service: ServicePolicy, { limits, kind }: Pick<AccountTerms, 'limits' | 'kind'>): KeyPolicy {
  const { maxActiveKeys, maxKeyDays, noNewKeys = false } = limits;
  const policy = {
    maxActiveKeys: maxActiveKeys ?? service.maxActiveKeys,
    maxKeyDays: Math.min(service.maxKeyDays, maxKeyDays ?? service.maxKeyDays),
    maxAccess: accessCeiling(limits),
    newKeys: !noNewKeys && (kind === 'service' || service.personalKeys !== false),
    revokeIdleAfterDays: service.revokeIdleAfterDays,
  };
  const limitedByAccount = [
    ...(maxActiveKeys === undefined ? [] : (['maxActiveKeys'] as const)),
    ...(policy.maxKeyDays < service.maxKeyDays ? (['maxKeyDays'] as const) : []),
    ...(policy.maxAccess === 'read-only' ? (['maxAccess'] as const) : []),
    ...(noNewKeys ? (['newKeys'] as const) : []),
  ];
  return { ...policy, limitedByAccount };
}

/** Throws `keys_not_allowed`. */
export function requireNewKeys({ newKeys }: KeyPolicy): void {
  if (!newKeys) throw new Refusal('keys_not_allowed', 'No new API keys can be made for this account');
}

export function defaultKeyDays({ maxKeyDays }: KeyPolicy): number {
  return Math.min(DEFAULT_EXPIRY_DAYS, maxKeyDays);
}

interface Wish {
  readonly access: AccessLevel;
  readonly expiresInDays: number;
  readonly permissions?: readonly string[] | undefined;
}

/** Throws `invalid_fields` for more than the policy allows, or than the owner has and the access level covers. */
export function requireGivable(wish: Wish, ownerPermissions: readonly string[], policy: KeyPolicy): void {
  const isTooHigh = ACCESS_LEVELS.indexOf(wish.access) > ACCESS_LEVELS.indexOf(policy.maxAccess);
  requireFields({
    access: isTooHigh ? `must be ${policy.maxAccess}: the limits of this account allow no more` : undefined,
    expiresInDays: keyDaysProblem(wish.expiresInDays, policy),
    permissions: permissionsProblem(wish, ownerPermissions, policy.maxAccess),
  });
}

/** The problem of a number that the rules of a key allow. Undefined also for no number. */
export function keyDaysProblem(days: number | undefined, policy: KeyPolicy): string | undefined {
  const { maxKeyDays, limitedByAccount } = policy;
  if (days === undefined || days <= maxKeyDays) return undefined;
  const who = limitedByAccount.includes('maxKeyDays') ? 'the limits of this account allow' : 'this service allows';
  return `must be a whole number from 1 to ${maxKeyDays}: ${who} no more`;
}

/** The problem of permissions for a new key. Undefined also for none. */
export function permissionsProblem(
  { access, permissions }: Omit<Wish, 'expiresInDays'>,
  ownerPermissions: readonly string[],
  ceiling: AccessLevel,
): string | undefined {
  const isMissing = (level: AccessLevel) => {
    const givable = new Set(permissionsToGive(level, ownerPermissions));
    return (permission: string) => !isCovered(permission, givable);
  };
  const unknown = permissions?.find(isMissing(ceiling));
  const tooHigh = permissions?.find(isMissing(access));
  if (unknown !== undefined)
    return `holds ${JSON.stringify(unknown)}, which this account can't give: a key has at most what its account may read and write`;
  return tooHigh && `holds ${JSON.stringify(tooHigh)}, which a ${access} key can't use: leave it out or change access`;
}

/** Throws `too_many_changes`. @param earlierAt when the key was made that is `perHour` keys back, if there is one */
export function requireChangesLeft(perHour: number, earlierAt: Date | undefined, now: Date): void {
  const waitMs = earlierAt ? earlierAt.getTime() + HOUR_MS - now.getTime() : 0;
  if (waitMs <= 0) return;
  const message = `At most ${perHour} API keys can be created or rotated in an hour: try again later`;
  throw new LatchkeyError('too_many_changes', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
