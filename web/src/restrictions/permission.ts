// Imports nothing at runtime, because test/contracts/screen-permissions.spec.ts runs it without a bundler.
import type { AccessLevel } from '../api/types.js';

/** What a person chose for a new key. */
export type Scope = 'all' | 'only';

export interface ChosenPermissions {
  readonly scope: Scope;
  /** Kept while the scope is `all`. */
  readonly chosen: readonly string[];
}

/** The service's rules. The test compares them with those in `src/domain`. */
const SEGMENT = String.raw`(?!\.+[/:])[A-Za-z0-9._-]+`;
const PERMISSION = new RegExp(`^(?=[A-Za-z0-9][^:]{0,99}:)${SEGMENT}(?:/${SEGMENT})*:[a-z][a-z0-9._-]{0,27}$`);
const ACTIONS: Readonly<Record<AccessLevel, readonly string[]>> = {
  'read-only': ['read'],
  'read-and-write': ['read', 'write'],
};

export const isPermission = (text: string): boolean => PERMISSION.test(text);

export const resourceOf = (permission: string): string => permission.slice(0, permission.indexOf(':'));
export const actionOf = (permission: string): string => permission.slice(permission.indexOf(':') + 1);

/** Whether a key of this level can use the permission. */
export const isWithin = (access: AccessLevel, permission: string): boolean =>
  ACTIONS[access].includes(actionOf(permission));

/** Whether one of the owner's permissions covers it: `systems:read` covers `systems/42:read`. */
export function isCovered(permission: string, by: ReadonlySet<string>): boolean {
  if (by.has(permission)) return true;
  if (!isPermission(permission)) return false;
  const parts = resourceOf(permission).split('/');
  return parts.some((_, count) => by.has(`${parts.slice(0, count).join('/')}:${actionOf(permission)}`));
}

/** Each resource once, with its actions, in the order of the list. */
export function byResource(permissions: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const actions = new Map<string, string[]>();
  for (const permission of permissions) {
    const resource = resourceOf(permission);
    actions.set(resource, [...(actions.get(resource) ?? []), actionOf(permission)]);
  }
  return actions;
}
