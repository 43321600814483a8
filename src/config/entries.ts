import { createSecretKey, type KeyObject } from 'node:crypto';
import { MAX_KEY_DAYS } from '#domain/accounts/entitlements.js';
import { newPermissionProblem } from '#domain/accounts/permission.js';
import type { EnvReader } from './env-reader.js';

// Each `parse…` returns one entry of a list, or throws an Error whose message may be shown.

/** A random secret of at least 32 bytes, in hex or base64. Text that is valid hex is read as hex. */
export function parseSealKey(text: string): KeyObject {
  const isHex = /^([0-9a-f]{2})+$/i.test(text);
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
  if ((isHex || isBase64) && bytes.length >= 32) return createSecretKey(bytes);
  throw new Error('must be at least 32 random bytes in hex or base64, as from `openssl rand -hex 32`');
}

/** In the format of Standard Webhooks. */
export function parseWebhookSecret(text: string): KeyObject {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (bytes.length >= 24 && bytes.length <= 64) return createSecretKey(bytes);
  throw new Error(
    'must be whsec_ and 24 to 64 random bytes in base64, as from `echo "whsec_$(openssl rand -base64 32)"`',
  );
}

/** The value is sent in a quoted text, separated from the next one by a space (RFC 9470). */
export function parseAcr(value: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(value)) return value;
  throw new Error('must be 1 to 255 visible ASCII characters without spaces, quotes and backslashes');
}

/** Days before the expiry of a key. */
export function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= 1 && days < MAX_KEY_DAYS) return days;
  throw new Error(`must be a whole number from 1 to ${MAX_KEY_DAYS - 1}`);
}

/** A permission of SIGN_IN_PERMISSIONS or SIGN_IN_ROLES. */
export function parsePermission(text: unknown): string {
  if (typeof text !== 'string') throw new Error('must be a text such as "systems:read"');
  const problem = newPermissionProblem(text);
  if (problem) throw new Error(`${problem}, unlike ${JSON.stringify(text.slice(0, 64))}`);
  return text;
}

/** Splits a URL with several hosts, such as `postgres://user@one:5432,two:5432/name`, into one URL for each host. */
export function readDatabaseUrls(reader: EnvReader, name: string): string[] {
  const value = reader.text(name);
  if (value === undefined) return [reader.missing(name)];
  const check = (url: string) => withPlainTls(reader.checkedUrl(name, url, ['postgres:', 'postgresql:']));
  const [, before, hosts = '', after] = /^([^:/?#]*:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(value) ?? [];
  if (!hosts.includes(',')) return [check(value)];
  return hosts.split(',').map((host) => {
    if (host === '') reader.wrong(name, 'has a comma with no host before or after it');
    return check(`${before}${host}${after}`);
  });
}

/** pg verifies certificate and name in each of these modes, and warns each time that libpq does not. */
function withPlainTls(url: string): string {
  return url
    .replace(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, 'verify-full')
    .replace(/(?<=[?&])sslrootcert=system(?=&|$)/, 'sslmode=verify-full');
}
