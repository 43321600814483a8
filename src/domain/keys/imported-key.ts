import { hash } from 'node:crypto';
import { SHORTEST_IMPORTED } from '../secrets.js';

const IMPORTED_LENGTH = { least: SHORTEST_IMPORTED, most: 512 } as const;
export const MAX_IMPORT_PREFIXES = 10;
export const MAX_SHOWN_LENGTH = 16;
const SHOWN_AFTER_PREFIX = 4;
const PUBLIC_PART_LENGTH = 24;

/** Visible ASCII, without what ends a string in a text, so that masking and leak reports know where such a key ends. */
const IMPORTED_STRING = new RegExp(`^[!#-&(-;=?-[\\]-~]{${IMPORTED_LENGTH.least},${IMPORTED_LENGTH.most}}$`);
/** One of the beginnings that the operator names, such as `acme_live_`. */
const IMPORT_PREFIX = /^[!#-&(-;=?-[\]-~]{3,16}$/;

/** Made by another system. The first 96 bits of its SHA-256, which identifies it, take the place of a public part. */
export class ImportedKey {
  private constructor(
    readonly publicPart: string,
    private readonly hex: string,
  ) {}

  /** Undefined unless the text begins with one of the prefixes and has the length of an imported key. */
  static parse(text: string, prefixes: readonly string[]): ImportedKey | undefined {
    if (!prefixes.some((prefix) => text.startsWith(prefix)) || !IMPORTED_STRING.test(text)) return undefined;
    return ImportedKey.fromHex(hash('sha256', text, 'hex'));
  }

  /** @param digest SHA-256 of the whole string */
  static ofDigest(digest: Buffer): ImportedKey {
    return ImportedKey.fromHex(digest.toString('hex'));
  }

  private static fromHex(hex: string): ImportedKey {
    return new ImportedKey(hex.slice(0, PUBLIC_PART_LENGTH), hex);
  }

  digest(): Buffer {
    return Buffer.from(this.hex, 'hex');
  }
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
