import type { EntityManager } from 'typeorm';
import { Account } from '../../../../domain/accounts/account.js';
import { emailKey } from '../../../../domain/accounts/account-profile.js';
import type { FormerAccount } from '../../../../domain/accounts/former-account.js';
import { NO_TERMS, type RARE_TERMS } from '../../../../domain/accounts/account-change.js';
import type { AccountStatus } from '../../../../domain/accounts/account.js';
import { AccountRow, STORED_STATUSES, type StoredStatus } from './rows.js';

export function toAccount(row: AccountRow): Account {
  return Account.restore({
    id: row.id,
    email: row.email,
    displayName: row.displayName,
    permissions: row.permissions,
    ...rareTerms(row),
    passwordHash: row.passwordHash,
    status: statusOf(row.status),
    version: BigInt(row.version),
    activeSince: row.activeSince,
  });
}

export function statusOf(stored: StoredStatus): AccountStatus {
  return stored === 'active+' ? 'active' : stored;
}

/** Every stored form of the status. */
export function storedAs(status: AccountStatus): StoredStatus[] {
  return STORED_STATUSES.filter((stored) => statusOf(stored) === status);
}

export function rareTerms(row: Pick<AccountRow, (typeof RARE_TERMS)[number]>) {
  const { limits, attributes, kind, managers } = row;
  return {
    limits: limits ?? NO_TERMS.limits,
    attributes: attributes ?? NO_TERMS.attributes,
    kind,
    managers: managers ?? NO_TERMS.managers,
  };
}

/** Other statements write the other columns. */
type StoredAccount = Omit<AccountRow, 'formerEventId' | 'unanswered'>;

export function fromAccount(account: Account): StoredAccount {
  return {
    id: account.id,
    email: account.email,
    emailKey: account.email === '' ? null : emailKey(account.email),
    displayName: account.displayName,
    permissions: [...account.permissions],
    limits: Object.keys(account.limits).length > 0 ? account.limits : null,
    attributes: account.attributes.length > 0 ? account.attributes : null,
    kind: account.kind,
    managers: account.managers.length > 0 ? [...account.managers] : null,
    passwordHash: account.passwordHash,
    status: account.status,
    version: account.version.toString(),
    activeSince: account.activeSince,
    purged: false,
  };
}

/** Every column that says something about the person is emptied. */
export function fromFormerAccount({ id, version }: FormerAccount): StoredAccount {
  return {
    id,
    email: '',
    emailKey: null,
    displayName: '',
    permissions: [],
    limits: null,
    attributes: null,
    kind: 'person',
    managers: null,
    passwordHash: null,
    status: 'deleted',
    version: version.toString(),
    activeSince: null,
    purged: true,
  };
}

/** The service accounts that name this person as a manager, in the order of their ids. */
export function managedBy(manager: EntityManager, personId: string): Promise<AccountRow[]> {
  const query = manager.createQueryBuilder(AccountRow, 'account').orderBy('account.id');
  return query.where('account.managers @> ARRAY[:personId] AND NOT account.purged', { personId }).getMany();
}
