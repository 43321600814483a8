import { hash } from 'node:crypto';
import { SHORTEST_IMPORTED } from '../secrets.js';
import { accountIdProblem } from '../accounts/account-profile.js';
import { accessProblem } from '../accounts/access-level.js';
import type { Account } from '../accounts/account.js';
import { requireFields } from '../errors.js';
import { DAY_MS } from '../time.js';
import { allowedNetworksProblem } from './allowed-networks.js';
import { keyPolicy, requireGivable, type ServicePolicy, requireNewKeys } from './key-policy.js';
import { namedPermissions, namedPermissionsProblem } from './key-restrictions.js';
import { keyNameProblem } from './key-rules.js';
import type { ImportOrder } from './key-state.js';
import type { KeyProof } from './key-string.js';

const IMPORTED_LENGTH = { least: SHORTEST_IMPORTED, most: 512 } as const;
export const MAX_IMPORT_PREFIXES = 10;
export const MAX_SHOWN_LENGTH = 16;
const SHOWN_AFTER_PREFIX = 4;
const PUBLIC_PART_LENGTH = 24;

/** Visible ASCII, without what ends a string in a text, so that masking and leak reports know where such a key ends. */
const IMPORTED_STRING = new RegExp(`^[!#-&(-;=?-[\\]-~]{${IMPORTED_LENGTH.least},${IMPORTED_LENGTH.most}}$`);
/** One of the beginnings that the operator names, such as `acme_live_`. */
const IMPORT_PREFIX = /^[!#-&(-;=?-[\]-~]{3,16}$/;

/** The first 96 bits of its SHA-256, which identify an imported key, take the place of a public part. */
export function importedPart(digest: Buffer): string {
  return digest.toString('hex').slice(0, PUBLIC_PART_LENGTH);
}

/** Undefined unless the text begins with one of the prefixes and has the length of an imported key. */
export function readImported(text: string, prefixes: readonly string[]): KeyProof | undefined {
  if (!prefixes.some((prefix) => text.startsWith(prefix)) || !IMPORTED_STRING.test(text)) return undefined;
  const digest = hash('sha256', text, 'buffer');
  return { publicPart: importedPart(digest), digest };
}

/** @param marker of our own keys, such as `lk` */
export function importPrefixProblem(prefix: string, marker: string): string | undefined {
  if (!IMPORT_PREFIX.test(prefix)) return 'must be 3 to 16 visible ASCII characters other than " \' < > \\';
  const own = `${marker}_`;
  if (own.startsWith(prefix) || prefix.startsWith(own)) return `must not begin as our own keys do: ${own}`;
  return undefined;
}

/** What lists show of an imported key, a beginning of that, or of its string. Undefined for any other text. */
export function readDisplayed(text: string, prefixes: readonly string[]): string | undefined {
  const shown = text.replace(/…$/, '');
  const isImport = prefixes.some((prefix) => prefix.startsWith(shown) || shown.startsWith(prefix));
  return shown !== '' && shown.length <= MAX_SHOWN_LENGTH && isImport ? shown : undefined;
}

export function displayPrefixProblem(value: string, prefixes: readonly string[]): string | undefined {
  if (prefixes.length === 0) return "can't begin with a prefix of IMPORT_PREFIXES: that has none";
  if (/^[!-~]*$/.test(value) && prefixes.some((prefix) => value.startsWith(prefix))) return undefined;
  return `must consist of visible ASCII characters and begin with ${prefixes.join(' or ')}`;
}

/** A longer beginning would reveal much of a short key: the prefix and four more characters are enough to tell keys apart. */
export function shownOf(displayPrefix: string, prefixes: readonly string[]): string {
  const known = prefixes.filter((prefix) => displayPrefix.startsWith(prefix)).map(({ length }) => length);
  return displayPrefix.slice(0, Math.min(MAX_SHOWN_LENGTH, Math.max(...known) + SHOWN_AFTER_PREFIX));
}

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
