import { Account } from '../../../../domain/accounts/account.js';
import type { FormerAccount } from '../../../../domain/accounts/former-account.js';
import { NO_ENTITLEMENTS } from '../../../../domain/accounts/account-change.js';
import type { AccountStatus } from '../../../../domain/accounts/account.js';
import { type AccountRow, STORED_STATUSES, type StoredStatus } from './rows.js';

export function toAccount(row: AccountRow): Account {
  return Account.restore({
    id: row.id,
    email: row.email,
    displayName: row.displayName,
    permissions: row.permissions,
    ...limitsAndAttributes(row),
    passwordHash: row.passwordHash,
    status: statusOf(row.status),
    version: BigInt(row.version),
  });
}

export function statusOf(stored: StoredStatus): AccountStatus {
  return stored === 'active+' ? 'active' : stored;
}

/** Every stored form of the status. */
export function storedAs(status: AccountStatus): StoredStatus[] {
  return STORED_STATUSES.filter((stored) => statusOf(stored) === status);
}

export function limitsAndAttributes({ limits, attributes }: Pick<AccountRow, 'limits' | 'attributes'>) {
  return { limits: limits ?? NO_ENTITLEMENTS.limits, attributes: attributes ?? NO_ENTITLEMENTS.attributes };
}

export function fromAccount(account: Account, emailKey: string): Omit<AccountRow, 'formerEventId'> {
  return {
    id: account.id,
    email: account.email,
    emailKey,
    displayName: account.displayName,
    permissions: [...account.permissions],
    limits: Object.keys(account.limits).length > 0 ? account.limits : null,
    attributes: account.attributes.length > 0 ? account.attributes : null,
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
    limits: null,
    attributes: null,
    passwordHash: null,
    status: 'deleted',
    version: version.toString(),
    purged: true,
  };
}
