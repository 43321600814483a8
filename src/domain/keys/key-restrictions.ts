import { hash } from 'node:crypto';
import { newPermissionProblem } from '../accounts/permission.js';
import { oncePerList } from '../once-per-list.js';
import { withoutSecrets } from '../secrets.js';
import { normalizeNetworks } from './allowed-networks.js';
import { type KeyPauses, wasPaused } from './key-status.js';
import { digestMatches } from './key-string.js';

export const MAX_KEY_PERMISSIONS = 100;

/** What a key was limited to at its creation. It never changes. */
export interface KeyRestrictions {
  /** The subset of the owner's permissions that the key may use. Null: all of them. */
  readonly permissions: readonly string[] | null;
  /** The CIDR ranges that requests must come from. Null: any address. */
  readonly allowedNetworks: readonly string[] | null;
}

type Wish = { readonly [Field in keyof KeyRestrictions]?: readonly string[] | undefined };

/** The stored form of what was chosen. The fields must be valid. */
export function restrictionsOf({ permissions, allowedNetworks }: Wish): KeyRestrictions {
  return {
    permissions: permissions ? [...new Set(permissions)] : null,
    allowedNetworks: allowedNetworks ? normalizeNetworks(allowedNetworks) : null,
  };
}

export function keyPermissionsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_KEY_PERMISSIONS) {
    return `must be a list of 1 to ${MAX_KEY_PERMISSIONS} permissions: leave the field out for all that the owner has`;
  }
  for (const each of value as unknown[]) {
    if (typeof each !== 'string') return 'must hold texts such as "systems:read"';
    if (withoutSecrets(each) !== each) return 'must not contain an API key';
    const problem = newPermissionProblem(each);
    if (problem) return `holds ${JSON.stringify(each.slice(0, 64))}, which ${problem}`;
  }
  return undefined;
}

/** Programs name all permissions by this text alone: an empty variable of theirs must not widen a key. */
const ALL = '*';

function isAll(permissions: readonly string[]): boolean {
  return permissions.length === 1 && permissions[0] === ALL;
}

/** Undefined: all that the owner has. */
export function namedPermissions(permissions: readonly string[]): readonly string[] | undefined {
  return isAll(permissions) ? undefined : permissions;
}

export function namedPermissionsProblem(permissions: readonly string[]): string | undefined {
  if (permissions.length === 0) return `must not be empty: ${ALL} stands for all that the owner has`;
  return isAll(permissions) ? undefined : keyPermissionsProblem(permissions);
}

/**
 * What is stored of a key's secret: SHA-256 of the key string. For a key with restrictions it is hashed once more, with
 * the digests of both lists. So an instance of a release that does not know restrictions refuses the key, and so does
 * every instance when somebody changes a restriction in the database.
 * @param digest SHA-256 of the key string
 */
export function storedDigest(digest: Buffer, { permissions, allowedNetworks }: KeyRestrictions): Buffer {
  if (permissions === null && allowedNetworks === null) return digest;
  const parts = [
    digest.toString('hex'),
    permissions && digestOf(permissions),
    allowedNetworks && digestOf(allowedNetworks),
  ];
  return Buffer.from(hash('sha256', parts.join('\n'), 'hex'), 'hex');
}

const digestOf = oncePerList((list) => hash('sha256', list.join(' '), 'hex'));

/** What is stored from the first pause of a key on, for good: a release that knows no pauses refuses the key. */
export function pausedDigest(digest: Buffer): Buffer {
  return Buffer.from(hash('sha256', `${digest.toString('hex')}\npaused`, 'hex'), 'hex');
}

/** Compares in constant time. An unknown key takes as long as a wrong secret. @param presented see `storedDigest` */
export function isProof(
  presented: Buffer,
  stored: (KeyRestrictions & KeyPauses & { readonly digest: Buffer }) | undefined,
): boolean {
  if (!stored) return digestMatches(presented, undefined);
  const expected = storedDigest(presented, stored);
  return digestMatches(wasPaused(stored) ? pausedDigest(expected) : expected, stored.digest);
}
