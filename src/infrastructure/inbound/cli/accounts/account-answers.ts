import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { attributesByName } from '#domain/accounts/entitlements.js';
import type { Account } from '#domain/accounts/account.js';
import type { Answer } from '../answering.js';

const LARGEST_VERSION = 2n ** 64n - 1n;

/** `--version` is taken: it prints the program's version. */
export function atVersion() {
  const description = "the platform's version of this change; refused if a newer version is stored";
  return new Option('--at-version <number>', description).argParser((text) => {
    const version = versionIn(text);
    if (version !== undefined) return version;
    throw new InvalidArgumentError('It must be a whole number of 64 bits.');
  });
}

export function versionIn(text: string): bigint | undefined {
  const version = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  return version >= 0n && version <= LARGEST_VERSION ? version : undefined;
}

/** Built field by field, so the password hash is never in it. */
export function viewOf(account: Account) {
  const { id, kind, origin, email, displayName, permissions, limits, managers, status, version, passwordHash } =
    account;
  const attributes = attributesByName(account.attributes);
  const rest = { status, version: String(version), hasPassword: passwordHash !== null };
  return { id, kind, origin, email, displayName, managers, permissions, limits, attributes, ...rest };
}

export function describe(account: Account): Answer {
  const document = viewOf(account);
  const texts = {
    ...document,
    managers: document.managers.join(' '),
    permissions: document.permissions.join(' '),
    limits: inOneLine(document.limits),
    attributes: inOneLine(document.attributes),
    hasPassword: document.hasPassword ? 'yes' : 'no',
  };
  return { document, text: inLines(texts) };
}

export function inLines(fields: object): string {
  const names = Object.keys(fields).map((name) => name.length);
  const line = ([name, value]: [string, unknown]) => `${name.padEnd(Math.max(12, ...names))} ${value}`.trimEnd();
  return Object.entries(fields).map(line).join('\n');
}

/** Texts are quoted, because they may have spaces. */
function inOneLine(fields: object): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.join(' ');
}
