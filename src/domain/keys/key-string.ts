import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PUBLIC_BYTES = 12;
const SECRET_RANDOM_BYTES = 28;
const CHECKSUM_LENGTH = 8;
const BODY = /^[0-9a-f]{24}\.[0-9a-f]{64}$/;
const ANY_KEY = /^([a-z][a-z0-9]{0,15})_([0-9a-f]{24})\.[0-9a-f]{64}$/;
const SHOWN_CHARACTERS = 12;

export const KEY_PREFIX = /^[a-z][a-z0-9]{0,15}$/;

/**
 * `<prefix>_<public part>.<secret part>`: 96 random bits that identify the key, 224 random bits that prove it, and a
 * CRC-32 over everything before it, so that a mistyped key is refused without a database read.
 *
 * The text is private: printing, logging or serialising this object gives the masked form.
 */
export class KeyString {
  readonly #text: string;

  private constructor(
    text: string,
    readonly prefix: string,
    readonly publicPart: string,
  ) {
    this.#text = text;
  }

  static generate(prefix: string): KeyString {
    const publicPart = randomBytes(PUBLIC_BYTES).toString('hex');
    const unsealed = `${prefix}_${publicPart}.${randomBytes(SECRET_RANDOM_BYTES).toString('hex')}`;
    return new KeyString(unsealed + checksum(unsealed), prefix, publicPart);
  }

  /** Undefined for any text that `generate` can't have made with this prefix. */
  static parse(text: string, prefix: string): KeyString | undefined {
    const bodyStart = prefix.length + 1;
    if (!text.startsWith(`${prefix}_`)) return undefined;
    const body = text.slice(bodyStart);
    if (!BODY.test(body)) return undefined;
    if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
    return new KeyString(text, prefix, body.slice(0, PUBLIC_BYTES * 2));
  }

  /** SHA-256: a random secret of 224 bits needs no slow hash. */
  digest(): Buffer {
    // Converting from hex takes half the time of asking Node for a buffer.
    return Buffer.from(hash('sha256', this.#text, 'hex'), 'hex');
  }

  /** The text leaves the service only once, in the answer to the creation or rotation. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return maskKey(this.prefix, this.publicPart);
  }

  toJSON(): string {
    return this.toString();
  }
}

/** What a string that was shown proves: which key it is, if the key has this digest. */
export interface KeyProof {
  readonly publicPart: string;
  /** SHA-256 of the key string. */
  readonly digest: Buffer;
}

/**
 * Accepts any prefix. Undefined when the text is not shaped like a key string. Without a `keyString` the checksum is
 * wrong: the key was mistyped or made up.
 */
export function inspectKey(text: string) {
  const [, prefix, publicPart] = ANY_KEY.exec(text) ?? [];
  if (prefix === undefined || publicPart === undefined) return undefined;
  return { prefix, publicPart, keyString: KeyString.parse(text, prefix) };
}

/** How lists show a key: `lk_4f9a01c2d3e4…`. */
export function maskKey(prefix: string, publicPart: string): string {
  return `${prefix}_${publicPart.slice(0, SHOWN_CHARACTERS)}…`;
}

/** What lists show of a key, or a beginning of it. */
export interface ShownPrefix {
  /** Undefined: any marker. */
  readonly marker: string | undefined;
  /** 1 to 24 characters. */
  readonly publicPart: string;
}

const SHOWN = /^(?:([a-z][a-z0-9]{0,15})_)?([0-9a-f]{1,24})…?$/;

/** Reads `lk_4f9a01c2d3e4…`, less of it, or only its hex characters. Undefined for any other text, also a key string. */
export function readShownPrefix(text: string): ShownPrefix | undefined {
  const [, marker, publicPart] = SHOWN.exec(text) ?? [];
  return publicPart === undefined ? undefined : { marker, publicPart };
}

const NO_DIGEST = Buffer.alloc(32);

/** Runs in constant time, and takes as long when there is no stored digest. */
export function digestMatches(presented: Buffer, stored: Buffer | undefined): boolean {
  const equal = timingSafeEqual(presented, stored ?? NO_DIGEST);
  return equal && stored !== undefined;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0');
}
