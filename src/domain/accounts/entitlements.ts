import { optional, type Rule, wholeNumberProblem } from '../errors.js';
import { holdsKeyString } from '../secrets.js';
import { type AccessLevel, accessProblem } from './access-level.js';
import type { RateLimit } from '../rate-limit.js';

export const MAX_RATE = 1_000_000;
/** The highest number of active keys and of days, of the service and of an account. */
export const MAX_ACTIVE_KEYS = 100;
export const MAX_KEY_DAYS = 365;

/** What the platform allows the keys of one account. An absent limit is the service's own. */
export interface AccountLimits {
  /** For each key. */
  readonly requestsPerSecond?: number;
  /** For each key. */
  readonly burst?: number;
  readonly maxAccess?: AccessLevel;
  readonly maxKeyDays?: number;
  readonly maxActiveKeys?: number;
  /** No key can be created, rotated or imported. */
  readonly noNewKeys?: boolean;
}

export function limitProblems(limits: AccountLimits): Record<`limits.${keyof AccountLimits}`, string | undefined> {
  return {
    'limits.requestsPerSecond': upTo(MAX_RATE)(limits.requestsPerSecond),
    'limits.burst': upTo(MAX_RATE)(limits.burst),
    'limits.maxAccess': optional(accessProblem)(limits.maxAccess),
    'limits.maxKeyDays': upTo(MAX_KEY_DAYS)(limits.maxKeyDays),
    'limits.maxActiveKeys': upTo(MAX_ACTIVE_KEYS)(limits.maxActiveKeys),
    'limits.noNewKeys': undefined,
  };
}

export function accessCeiling({ maxAccess = 'read-and-write' }: AccountLimits): AccessLevel {
  return maxAccess;
}

export function rateLimitOf({ requestsPerSecond, burst }: AccountLimits, service: RateLimit): RateLimit {
  if (requestsPerSecond === undefined && burst === undefined) return service;
  return { perSecond: requestsPerSecond ?? service.perSecond, burst: burst ?? service.burst };
}

/** What a door reads. The compiler reports a limit that it leaves out. */
export type EveryLimit = { [Limit in keyof AccountLimits]-?: AccountLimits[Limit] | undefined };

/** Without those that are undefined, or false. */
export function givenLimits(limits: Partial<EveryLimit>): AccountLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined && limit !== false));
}

function upTo(most: number): Rule {
  return optional((value) => wholeNumberProblem(value, 1, most));
}

const MAX_ATTRIBUTES = 16;
const MAX_VALUE_LENGTH = 256;
/** Of all attributes together, as a header is encoded. */
const MAX_BYTES = 2048;

/** What the platform says of an account, such as its tenant. Every grant carries it. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
}

export function attributesProblem(attributes: readonly Attribute[]): string | undefined {
  if (attributes.length > MAX_ATTRIBUTES) return `must be at most ${MAX_ATTRIBUTES}`;
  const names = new Set<string>();
  for (const { name, value } of attributes) {
    const shown = JSON.stringify(name.slice(0, 64));
    if (!/^[a-z][a-z0-9_.-]{0,63}$/.test(name))
      return `must have names of 1 to 64 characters of [a-z0-9_.-] that start with a letter, unlike ${shown}`;
    if (names.has(name)) return `must have each name once: ${shown} comes twice`;
    names.add(name);
    // A half of a surrogate pair can't be encoded.
    if (/[\p{Cc}\p{Cs}]/u.test(value)) return `must have values without control characters, unlike ${shown}`;
    if (holdsKeyString(value)) return `must not contain an API key, unlike ${shown}`;
    if ([...value].length > MAX_VALUE_LENGTH)
      return `must have values of at most ${MAX_VALUE_LENGTH} characters, unlike ${shown}`;
  }
  const bytes = attributesHeader(attributes).length;
  return bytes > MAX_BYTES ? `must take at most ${MAX_BYTES} bytes as a header, and these take ${bytes}` : undefined;
}

export function attributesByName(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ name, value }) => [name, value]));
}

/** A dictionary of RFC 9651: `tenant="acme", plan="pro"`. Values beyond printable ASCII are Display Strings. */
export function attributesHeader(attributes: readonly Attribute[]): string {
  return attributes
    .map(({ name, value }) => `${name}=${/^[\x20-\x7e]*$/.test(value) ? asString(value) : asDisplayString(value)}`)
    .join(', ');
}

/** RFC 9651, section 4.1.6. */
function asString(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** RFC 9651, section 4.1.11: bytes of UTF-8 that are not printable ASCII, `%` and `"` are percent-encoded. */
function asDisplayString(value: string): string {
  const bytes = [...new TextEncoder().encode(value)];
  const encode = (byte: number) =>
    byte < 0x20 || byte > 0x7e || byte === 0x25 || byte === 0x22
      ? `%${byte.toString(16).padStart(2, '0')}`
      : String.fromCharCode(byte);
  return `%"${bytes.map(encode).join('')}"`;
}

export interface Entitlements {
  readonly permissions: readonly string[];
  readonly limits: AccountLimits;
  readonly attributes: readonly Attribute[];
}

export const NO_ENTITLEMENTS: Entitlements = { permissions: [], limits: {}, attributes: [] };
