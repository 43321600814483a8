import type { AccessLevel, Narrower } from '../api/types';
import { isCovered } from '../../../src/domain/accounts/permission';
import { effectivePermissions } from '../../../src/domain/keys/access';
import { DAY_MS } from '../../../src/domain/time';
import { OTHER_PERMISSIONS, UNKNOWN_PERMISSION } from '../../../src/domain/usage/permission-use';

/** As long as the record is shorter, a job that runs once a month may be missing. */
export const RECORDED_DAYS = 30;

/** Stands in the place of a permission for requests that no permission of the key granted, as far as it is recorded. */
const UNNAMED = ['', UNKNOWN_PERMISSION, OTHER_PERMISSIONS] as const;
export type Unnamed = (typeof UNNAMED)[number];

export const isUnnamed = (permission: string): permission is Unnamed => UNNAMED.some((each) => each === permission);

interface Use {
  /** Empty for requests that needed none. */
  readonly permission: string;
  readonly operation?: string;
  readonly lastDay: string;
  readonly count: number;
}

interface Key {
  readonly access: AccessLevel;
  readonly permissions: readonly string[] | null;
}

/** Why nothing is proposed: the record is too short, it does not say which permission granted some requests, nothing was used, or all was. */
export type NoProposal = 'early' | 'unclear' | 'unused' | 'all';

export interface WhatItUses {
  /** Those of the key's permissions that were used. */
  readonly used: number;
  readonly of: number;
  readonly proposal: Narrower | NoProposal;
}

/**
 * @param key active
 * @param owned what its owner may do
 * @param since the first day of the record, in UTC
 */
export function whatItUses(
  key: Key,
  owned: readonly string[],
  uses: readonly Use[],
  since: string,
  now: number,
): WhatItUses {
  const effective = effectivePermissions(key.access, owned, key.permissions);
  const names = uses.map(({ permission }) => permission);
  const permissions = effective.filter((permission) => names.includes(permission));
  const counts = { used: permissions.length, of: effective.length };
  const no = (proposal: NoProposal) => ({ ...counts, proposal });
  if (now - Date.parse(since) < RECORDED_DAYS * DAY_MS) return no('early');
  const isUnclear = (name: string) =>
    isUnnamed(name) ||
    // A permission of the replaced key that covers some of this key's.
    (!effective.includes(name) && effective.some((permission) => isCovered(permission, new Set([name]))));
  if (names.some(isUnclear)) return no('unclear');
  if (permissions.length === 0) return no('unused');
  if (permissions.length === effective.length) return no('all');
  return { ...counts, proposal: { permissions } };
}
