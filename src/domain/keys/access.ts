import { actionOf, coveredByBoth, isNewPermission } from '../accounts/permission.js';
import type { AccessLevel } from '../accounts/access-level.js';
import { oncePerList } from '../once-per-list.js';

export const OPERATIONS = ['read', 'write', 'destroy', 'manage-api-keys', 'manage-account', 'impersonate'] as const;
export type Operation = (typeof OPERATIONS)[number];

const ALLOWED_ACTIONS: Readonly<Record<AccessLevel, readonly string[]>> = {
  'read-only': ['read'],
  'read-and-write': ['read', 'write'],
};

/** Keys can never delete permanently, manage keys or accounts, or impersonate: those operations are only for people. */
export function isOpenToKeys(operation: Operation): boolean {
  return operation === 'read' || operation === 'write';
}

export function accessAllows(access: AccessLevel, operation: Operation): boolean {
  return ALLOWED_ACTIONS[access].includes(operation);
}

/**
 * What a key may do now: the owner's permissions whose action the access level allows. Permissions with another action
 * are left out. Of a key with a subset, what both the owner's permissions and the subset cover.
 */
export function effectivePermissions(
  access: AccessLevel,
  ownerPermissions: readonly string[],
  subset: readonly string[] | null = null,
): readonly string[] {
  const usable = USABLE[access](ownerPermissions);
  return subset === null ? usable : ofSubset(usable)(subset);
}

const usableWith = (access: AccessLevel) =>
  oncePerList((owned) => owned.filter((permission) => ALLOWED_ACTIONS[access].includes(actionOf(permission))));
const USABLE = { 'read-only': usableWith('read-only'), 'read-and-write': usableWith('read-and-write') } as const;

/** Comparing a hundred permissions with a hundred others takes longer than the rest of a validation. */
const ofSubset = oncePerList((usable) => oncePerList((subset) => coveredByBoth(usable, subset)));

/** What an owner may give a key. Only permissions of the grammar of new ones can be given. */
export function permissionsToGive(access: AccessLevel, ownerPermissions: readonly string[]): string[] {
  return USABLE[access](ownerPermissions).filter(isNewPermission);
}
