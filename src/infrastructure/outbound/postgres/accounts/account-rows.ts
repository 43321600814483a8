import { Check, Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { TIME_OR_NULL } from '../client/columns.js';
import { ACCOUNT_KINDS, type AccountKind, emailKey } from '#domain/accounts/account-profile.js';
import { Account, type AccountStatus } from '#domain/accounts/account.js';
import type { Attribute, AccountLimits } from '#domain/accounts/entitlements.js';
import type { FormerAccount } from '#domain/accounts/former-account.js';
import { type AccountOrigin, NO_TERMS, type RARE_TERMS } from '#domain/accounts/account-change.js';

/** An active account that has limits or attributes is stored as `active+`: see the migration Accounts. */
export type StoredStatus = AccountStatus | 'active+';
const STORED_STATUSES: readonly StoredStatus[] = ['active', 'active+', 'suspended', 'deleted'];
export const ACTIVE = `('active', 'active+')`;

@Entity('accounts')
@Check('accounts_kind', `kind IN ('${ACCOUNT_KINDS.join("', '")}')`)
@Check('accounts_status', `status IN ('${STORED_STATUSES.join("', '")}')`)
export class AccountRow {
  @PrimaryColumn('varchar', { length: 128 }) id!: string;
  @Column('text') email!: string;
  /** The email in lower case, which is unique; null once the account is purged. */
  @Column('text', { nullable: true }) emailKey!: string | null;
  @Column('text') displayName!: string;
  @Column('text', { array: true }) permissions!: readonly string[];
  @Column('text', { nullable: true }) passwordHash!: string | null;
  @Column('varchar', { length: 9 }) status!: StoredStatus;
  @Column('jsonb', { nullable: true }) limits!: AccountLimits | null;
  @Column('jsonb', { nullable: true }) attributes!: readonly Attribute[] | null;
  @Column('varchar', { length: 7, default: 'person' }) kind!: AccountKind;
  /** Null for none. */
  @Column('text', { array: true, nullable: true }) managers!: readonly string[] | null;
  @Column({ type: 'numeric', precision: 20, scale: 0 }) version!: string;
  /** The last reactivation; null if there was none since this column exists. */
  @Column(TIME_OR_NULL) activeSince!: Date | null;
  /** Of an account that the login keeps; null for the platform's. */
  @Column('text', { nullable: true }) signInIssuer!: string | null;
  @Column(TIME_OR_NULL) signedInAt!: Date | null;
  /** Whether the data of the person was deleted. The row then holds only the id and the last version. */
  @Column('boolean', { default: false }) purged!: boolean;
  /** Events up to this id belong to purged accounts that had the same account id before. */
  @Column('bigint', { default: 0 }) formerEventId!: string;
  /** The last change that ended leases, until its call is answered: see ChangeWaits. */
  @Column('uuid', { nullable: true }) unanswered!: string | null;
}

/** Each column is a field of the account's state with the same name. The compiler reports a missing one. */
export function toAccount({
  emailKey: _emailKey,
  purged: _purged,
  formerEventId: _formerEventId,
  unanswered: _unanswered,
  ...row
}: AccountRow): Account {
  const [status, version] = [statusOf(row.status), BigInt(row.version)];
  return Account.restore({ ...row, ...rareTerms(row), status, version });
}

export function statusOf(stored: StoredStatus): AccountStatus {
  return stored === 'active+' ? 'active' : stored;
}

export function storedAs(status: AccountStatus): StoredStatus[] {
  return STORED_STATUSES.filter((stored) => statusOf(stored) === status);
}

export function rareTerms(row: Pick<AccountRow, Exclude<(typeof RARE_TERMS)[number], 'origin'> | 'signInIssuer'>) {
  const { limits, attributes, kind, managers, signInIssuer } = row;
  const origin: AccountOrigin = signInIssuer === null ? 'platform' : 'sign-in';
  return {
    limits: limits ?? NO_TERMS.limits,
    attributes: attributes ?? NO_TERMS.attributes,
    kind,
    origin,
    managers: managers ?? NO_TERMS.managers,
  };
}

/** Other statements write the other columns. */
type StoredAccount = Omit<AccountRow, 'formerEventId' | 'unanswered'>;

export function fromAccount(account: Account): StoredAccount {
  const { origin: _origin, email, limits, attributes, managers, version, ...state } = account.snapshot();
  return {
    ...state,
    email,
    emailKey: email === '' ? null : emailKey(email),
    limits: Object.keys(limits).length > 0 ? limits : null,
    attributes: attributes.length > 0 ? attributes : null,
    managers: managers.length > 0 ? managers : null,
    version: version.toString(),
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
    signInIssuer: null,
    signedInAt: null,
    purged: true,
  };
}

/** The service accounts that name this person as a manager, in the order of their ids. */
export function managedBy(manager: EntityManager, personId: string): Promise<AccountRow[]> {
  const query = manager.createQueryBuilder(AccountRow, 'account').orderBy('account.id');
  return query.where('account.managers @> ARRAY[:personId] AND NOT account.purged', { personId }).getMany();
}
