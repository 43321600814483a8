import { accountIdProblem } from '../accounts/account-profile.js';
import { accessProblem } from '../accounts/access-level.js';
import type { Account } from '../accounts/account.js';
import { requireFields } from '../errors.js';
import { DAY_MS } from '../time.js';
import { allowedNetworksProblem } from './allowed-networks.js';
import { displayPrefixProblem, shownOf } from './imported-key.js';
import { keyPolicy, requireGivable, type ServicePolicy, requireNewKeys } from './key-policy.js';
import { namedPermissions, namedPermissionsProblem } from './key-restrictions.js';
import { keyNameProblem } from './key-rules.js';
import type { ImportOrder } from './key-state.js';

/** A key of another system, as it was sent. */
export interface ImportedLine {
  readonly ownerId: string;
  readonly name: string;
  /** An AccessLevel; undefined when none was sent. */
  readonly access: string | undefined;
  /** SHA-256 of the whole string that its holder sends. */
  readonly sha256: Buffer;
  /** The beginning of the string. Lists show the import prefix and at most four more characters of it. */
  readonly displayPrefix: string;
  readonly expiresAt: Date | undefined;
  /** `*` alone stands for all that the owner has. */
  readonly permissions: readonly string[];
  /** Empty: any address. */
  readonly allowedNetworks: readonly string[];
}

export interface ImportRules {
  readonly importPrefixes: readonly string[];
  readonly policy: ServicePolicy;
}

const DIGEST_BYTES = 32;

/** Throws `invalid_fields` unless a key may be made of this line, regardless of its owner. */
export function requireImportable(line: ImportedLine, { importPrefixes }: ImportRules): void {
  const { permissions, allowedNetworks } = line;
  requireFields({
    ownerId: accountIdProblem(line.ownerId),
    name: keyNameProblem(line.name),
    access: accessProblem(line.access),
    sha256: line.sha256.length === DIGEST_BYTES ? undefined : 'must be the 32 bytes of a SHA-256',
    displayPrefix: displayPrefixProblem(line.displayPrefix, importPrefixes),
    expiresAt: line.expiresAt ? undefined : 'is missing: imported keys expire, too',
    permissions: namedPermissionsProblem(permissions),
    allowedNetworks: allowedNetworks.length === 0 ? undefined : allowedNetworksProblem(allowedNetworks),
  });
}

/** The order for a line that is importable. Throws `keys_not_allowed`, and `invalid_fields` for more than its owner may have. */
export function importOrder(
  line: ImportedLine,
  owner: Account,
  rules: ImportRules & { readonly now: Date },
): Omit<ImportOrder, 'id'> {
  const { permissions, allowedNetworks, access, expiresAt, ...rest } = line;
  const displayPrefix = shownOf(line.displayPrefix, rules.importPrefixes);
  const policy = keyPolicy(rules.policy, owner);
  requireNewKeys(policy);
  const wish = {
    access: access as ImportOrder['access'],
    permissions: namedPermissions(permissions),
  };
  requireFields({ expiresAt: expiryProblem(expiresAt!, rules.now, policy.maxKeyDays) });
  requireGivable({ ...wish, expiresInDays: 1 }, owner.permissions, policy);
  const networks = allowedNetworks.length === 0 ? undefined : allowedNetworks;
  return { ...rest, ...wish, displayPrefix, expiresAt: expiresAt!, allowedNetworks: networks };
}

function expiryProblem(expiresAt: Date, now: Date, maxDays: number): string | undefined {
  const last = new Date(now.getTime() + maxDays * DAY_MS);
  return expiresAt > now && expiresAt <= last ? undefined : `must be a time within the next ${maxDays} days`;
}
