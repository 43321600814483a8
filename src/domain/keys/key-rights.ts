import type { AccessLevel } from '../accounts/access-level.js';
import { accessAllows, actionOf, effectivePermissions, isCovered } from '../accounts/permission.js';
import { AllowedNetworks } from './allowed-networks.js';
import { deny, type Denial, isOpenToKeys, type Question } from './verdict.js';

/** What decides about the requests of a key that is proven, active and within its limit. A lease carries it. */
export interface KeyRights {
  /** The lower of the key's level and the highest that its owner's keys may have. */
  readonly access: AccessLevel;
  readonly permissions: readonly string[];
  readonly hasSubset: boolean;
  /** The CIDR ranges that requests must come from. Null: any address. */
  readonly allowedNetworks: readonly string[] | null;
}

/** Why these rights do not allow a request; undefined when they do. A guard judges each use of a lease with it. */
export function denialBy(rights: KeyRights, question: Question, withinRateLimit = true): Denial | undefined {
  const { operation, permission, clientAddress, isAboutKey = false } = question;
  if (!isAllowedFrom(rights.allowedNetworks, clientAddress)) return deny('address-not-allowed');
  if (!withinRateLimit) return deny('rate-limited');
  if (isAboutKey) return undefined;
  if (!isOpenToKeys(operation)) return deny('operation-not-allowed');
  if (!accessAllows(rights.access, operation)) return deny('read-only-key', lacking(rights.access, permission));
  return permits(rights, question) ? undefined : deny('missing-permission', permission);
}

/** @param networks null: any address. Otherwise an unknown address is not allowed */
export function isAllowedFrom(networks: readonly string[] | null, address: string | null | undefined): boolean {
  return networks === null || AllowedNetworks.restore(networks).allow(address ?? null);
}

/** Without a permission, a key with a subset needs one with the action of the operation. */
function permits({ permissions, hasSubset }: KeyRights, { operation, permission }: Question): boolean {
  if (permission) return isCovered(permission, { has: (each) => permissions.includes(each) });
  return !hasSubset || permissions.some((each) => actionOf(each) === operation);
}

/** The permission, if no key with this access level can ever have it. */
function lacking(access: AccessLevel, permission: string): string | undefined {
  return effectivePermissions(access, [permission]).length === 0 ? permission : undefined;
}
