import type { AccessLevel } from '../accounts/access-level.js';
import { coveringPermission, effectivePermissions, isCovered } from '../accounts/permission.js';
import { type Operation, OPERATIONS } from '../keys/verdict.js';
import { OTHER_PERMISSIONS, UNKNOWN_PERMISSION } from './key-history.js';

/** As long as the record is shorter, a job that runs once a month may be missing. */
export const RECORDED_DAYS = 30;

/** Not picked from the state of a key, whose types need Node's: the packed panel has the types of this file. */
interface Key {
  readonly access: AccessLevel;
  readonly permissions: readonly string[] | null;
}

/** What is recorded of a key, and of those that it replaced. */
export interface UseRecord {
  /** The permissions by which it was granted, and what stands in their place (`PermissionUse.used`). */
  readonly used: readonly string[];
  readonly days: number;
}

/** Why nothing is proposed: the record is too short, it does not say which permission granted some requests, nothing was used, or all was. */
export type NoProposal = 'early' | 'unclear' | 'unused' | 'all';

export interface WhatItUses {
  /** Those of the key's permissions that were used. */
  readonly used: number;
  readonly of: number;
  readonly proposal: { readonly permissions: readonly string[] } | NoProposal;
}

/** @param owned what its owner may do */
export function whatItUses(key: Key, owned: readonly string[], { used: recorded, days }: UseRecord): WhatItUses {
  const effective = effectivePermissions(key.access, owned, key.permissions);
  // Its owner may have got a wider permission since.
  const used = recorded.map((name) => coveringPermission(name, effective) ?? name);
  const permissions = effective.filter((permission) => used.includes(permission));
  const counts = { used: permissions.length, of: effective.length };
  const no = (proposal: NoProposal) => ({ ...counts, proposal });
  if (days < RECORDED_DAYS) return no('early');
  const isUnclear = (name: string) =>
    isOperation(name) ||
    name === UNKNOWN_PERMISSION ||
    name === OTHER_PERMISSIONS ||
    // A permission of the replaced key that covers some of this key's.
    (!effective.includes(name) && effective.some((permission) => isCovered(permission, new Set([name]))));
  if (used.some(isUnclear)) return no('unclear');
  if (permissions.length === 0) return no('unused');
  if (permissions.length === effective.length) return no('all');
  return { ...counts, proposal: { permissions } };
}

/** What a key could be limited to: some of its permissions, which for `reading` are permissions to read alone. */
export const COULD_NARROW = ['reading', 'permissions'] as const;
export type CouldNarrow = (typeof COULD_NARROW)[number];

/** Null: to nothing less, as far as is recorded. @param key active @param owned what its owner may do */
export function couldNarrow(key: Key, owned: readonly string[], record: UseRecord): CouldNarrow | null {
  const { proposal } = whatItUses(key, owned, record);
  if (typeof proposal === 'string') return null;
  const toRead = effectivePermissions('read-only', owned, key.permissions);
  const onlyReads = proposal.permissions.every((permission) => toRead.includes(permission));
  return key.access === 'read-and-write' && onlyReads ? 'reading' : 'permissions';
}

/** For requests that needed no permission, their operation is recorded. */
export function isOperation(used: string): used is Operation {
  return OPERATIONS.some((operation) => operation === used);
}
