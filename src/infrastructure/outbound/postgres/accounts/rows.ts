import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ACCOUNT_KINDS, type AccountKind } from '../../../../domain/accounts/account-profile.js';
import type { AccountStatus } from '../../../../domain/accounts/account.js';
import type { Attribute } from '../../../../domain/accounts/account-attributes.js';
import type { AccountLimits } from '../../../../domain/accounts/account-limits.js';

/** An active account that has limits or attributes is stored as `active+`: see the migration AccountLimits. */
export type StoredStatus = AccountStatus | 'active+';
export const STORED_STATUSES: readonly StoredStatus[] = ['active', 'active+', 'suspended', 'deleted'];
export const ACTIVE = `('active', 'active+')`;

@Entity('accounts')
@Index('service_accounts', ['id'], { where: "kind = 'service'" })
@Check('accounts_kind', `kind IN ('${ACCOUNT_KINDS.join("', '")}')`)
@Check('accounts_status', `status IN ('${STORED_STATUSES.join("', '")}')`)
export class AccountRow {
  @Index('accounts_by_id', { type: 'hash' })
  @PrimaryColumn('varchar', { length: 128, primaryKeyConstraintName: 'accounts_pkey' })
  id!: string;
  @Column('text')
  email!: string;
  /** The email in lower case, which is unique; null once the account is purged. */
  @Index('accounts_email_key', { unique: true })
  @Column('text', { name: 'email_key', nullable: true })
  emailKey!: string | null;
  @Column('text', { name: 'display_name' })
  displayName!: string;
  @Column('text', { array: true })
  permissions!: string[];
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;
  @Column('varchar', { length: 9 })
  status!: StoredStatus;
  @Column('jsonb', { nullable: true })
  limits!: AccountLimits | null;
  @Column('jsonb', { nullable: true })
  attributes!: readonly Attribute[] | null;
  @Column('varchar', { length: 7, default: 'person' })
  kind!: AccountKind;
  /** Null for none. */
  @Index('accounts_by_manager', { type: 'gin' })
  @Column('text', { array: true, nullable: true })
  managers!: string[] | null;
  @Column({ type: 'numeric', precision: 20, scale: 0 })
  version!: string;
  /** The last reactivation; null if there was none since this column exists. */
  @Column({ type: 'timestamptz', name: 'active_since', precision: 3, nullable: true })
  activeSince!: Date | null;
  /** Whether the data of the person was deleted. The row then holds only the id and the last version. */
  @Column('boolean', { default: false })
  purged!: boolean;
  /** Events up to this id belong to purged accounts that had the same account id before. */
  @Column('bigint', { name: 'former_event_id', default: 0 })
  formerEventId!: string;
  /** The last change that ended leases, until its call is answered: see ChangeWaits. */
  @Column('uuid', { nullable: true })
  unanswered!: string | null;
}

@Entity('sessions')
export class SessionRow {
  /** SHA-256 of the token in the cookie. */
  @PrimaryColumn('bytea', { name: 'token_digest', primaryKeyConstraintName: 'sessions_pkey' })
  tokenDigest!: Buffer;
  @Index('sessions_of_account')
  @Column('varchar', { name: 'account_id', length: 128 })
  accountId!: string;
  @ManyToOne(() => AccountRow, { nullable: false })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'sessions_account_id_fkey' })
  account?: AccountRow;
  @Index('sessions_by_expiry')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
  /** From a sign-in at the platform, like `acr`. */
  @Column({ type: 'timestamptz', name: 'authenticated_at', precision: 3, nullable: true })
  authenticatedAt!: Date | null;
  @Column('text', { nullable: true })
  acr!: string | null;
}

@Entity('password_guesses')
@Index('password_guesses_wrong_by_age', ['lastAttemptAt'], { where: 'succeeded_at IS NULL' })
export class PasswordGuessesRow {
  /** SHA-256 of the subject's name, because we do not store what people type into an email field. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'password_guesses_pkey' })
  subject!: Buffer;
  @Column('integer')
  failures!: number;
  @Index('password_guesses_by_age')
  @Column({ type: 'timestamptz', name: 'last_attempt_at', precision: 3 })
  lastAttemptAt!: Date;
  @Column({ type: 'timestamptz', name: 'blocked_until', precision: 3, nullable: true })
  blockedUntil!: Date | null;
  @Column({ type: 'timestamptz', name: 'succeeded_at', precision: 3, nullable: true })
  succeededAt!: Date | null;
}

/** A sign-in at the platform that came back. */
@Entity('spent_sign_ins')
export class SpentSignInRow {
  /** SHA-256 of the state in its cookie. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'spent_sign_ins_pkey' })
  state!: Buffer;
  @Index('spent_sign_ins_by_time')
  @Column({ type: 'timestamptz', name: 'spent_at', precision: 3 })
  spentAt!: Date;
}

/** Holds a single row: random bytes for decoys and for the cookies of pending sign-ins. */
@Entity('decoy_key')
@Check('decoy_key_is_one', 'id = 1')
export class DecoyKeyRow {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'decoy_key_pkey' })
  id!: number;
  @Column('bytea')
  key!: Buffer;
}
