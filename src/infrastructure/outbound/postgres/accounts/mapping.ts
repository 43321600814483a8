import { Account } from '../../../../domain/accounts/account.js';
import type { FormerAccount } from '../../../../domain/accounts/former-account.js';
import type { AccountRow } from './rows.js';

export function toAccount(row: AccountRow): Account {
  return Account.restore({
    id: row.id,
    email: row.email,
    displayName: row.displayName,
    permissions: row.permissions,
    passwordHash: row.passwordHash,
    status: row.status,
    version: BigInt(row.version),
  });
}

export function fromAccount(account: Account, emailKey: string): Omit<AccountRow, 'formerEventId'> {
  return {
    id: account.id,
    email: account.email,
    emailKey,
    displayName: account.displayName,
    permissions: [...account.permissions],
    passwordHash: account.passwordHash,
    status: account.status,
    version: account.version.toString(),
    purged: false,
  };
}

/** Every column that says something about the person is emptied. */
export function fromFormerAccount({ id, version }: FormerAccount): Omit<AccountRow, 'formerEventId'> {
  return {
    id,
    email: '',
    emailKey: null,
    displayName: '',
    permissions: [],
    passwordHash: null,
    status: 'deleted',
    version: version.toString(),
    purged: true,
  };
}
