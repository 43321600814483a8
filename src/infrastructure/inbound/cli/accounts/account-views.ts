import { InvalidArgumentError, Option } from 'commander';
import type { Account } from '../../../../domain/accounts/account.js';

const LARGEST_VERSION = 2n ** 64n - 1n;

/** An account as administrators see it. Built field by field, so the password hash is never in it. */
export function viewOf({ id, email, displayName, permissions, status, version, passwordHash }: Account) {
  const hasPassword = passwordHash !== null;
  return { id, email, displayName, permissions, status, version: String(version), hasPassword };
}

/** The version of the account. `--version` is taken: it prints the program's version. */
export function atVersion(): Option {
  const option = new Option(
    '--at-version <number>',
    "the platform's version of this change; refused if a newer is stored",
  );
  return option.argParser((text) => {
    const version = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
    if (version < 0n || version > LARGEST_VERSION)
      throw new InvalidArgumentError('It must be a whole number of 64 bits.');
    return version;
  });
}
