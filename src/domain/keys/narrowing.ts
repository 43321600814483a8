import { ACCESS_LEVELS, type AccessLevel } from '../accounts/access-level.js';
import { effectivePermissions, isCovered } from '../accounts/permission.js';
import { requireFields } from '../errors.js';
import { isInside } from './allowed-networks.js';
import { type KeyPolicy, permissionsProblem } from './key-policy.js';
import type { KeyRestrictions } from './key-restrictions.js';

/** How a successor is to be narrower than its key. A field that is undefined stays as it is. */
export interface Narrowing {
  readonly access?: AccessLevel | undefined;
  readonly permissions?: readonly string[] | undefined;
  /** May be empty where the key has none. */
  readonly allowedNetworks?: readonly string[] | undefined;
  readonly policy: KeyPolicy;
  /** Needed where it names permissions. */
  readonly ownerPermissions?: readonly string[] | undefined;
}

type KeyWidth = KeyRestrictions & { readonly access: AccessLevel };

/** A lower access level drops permissions to write. Throws `invalid_fields` for more than the key has. */
export function narrowed(key: KeyWidth, wish: Narrowing) {
  const { access = key.access, permissions, allowedNetworks, policy, ownerPermissions = [] } = wish;
  const kept =
    key.permissions && (access === key.access ? key.permissions : effectivePermissions(access, key.permissions));
  const ofOwner = permissions && permissionsProblem({ access, permissions }, ownerPermissions, policy.maxAccess);
  requireFields({
    access: accessProblem(key, access, permissions ?? kept),
    permissions:
      ofOwner ?? outsideProblem(permissions, (each) => !key.permissions || isCovered(each, new Set(key.permissions))),
    allowedNetworks: networksProblem(key, allowedNetworks),
  });
  const networks = allowedNetworks?.length ? allowedNetworks : key.allowedNetworks;
  return { access, permissions: permissions ?? kept ?? undefined, allowedNetworks: networks ?? undefined };
}

function accessProblem(key: KeyWidth, access: AccessLevel, permissions: readonly string[] | null): string | undefined {
  if (ACCESS_LEVELS.indexOf(access) > ACCESS_LEVELS.indexOf(key.access)) {
    return `must be ${key.access} or left out: a new key can only do less than the key that it replaces`;
  }
  return permissions?.length === 0 ? `must be ${key.access}: the key has no permissions for less` : undefined;
}

function networksProblem(
  { allowedNetworks: old }: KeyWidth,
  wished: readonly string[] | undefined,
): string | undefined {
  if (wished?.length === 0 && old) return 'must not be empty: leave the field out to keep the networks of the key';
  return outsideProblem(wished, (each) => !old || old.some((network) => isInside(each, network)));
}

function outsideProblem(wished: readonly string[] = [], isWithin: (each: string) => boolean): string | undefined {
  const outside = wished.find((each) => !isWithin(each));
  return outside && `holds ${JSON.stringify(outside)}, which the key does not have: a new key can only do less`;
}
