import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ACCOUNT_STATUSES, type AccountStatus } from '../../../../domain/accounts/account.js';
import { ACCESS_LEVELS, type AccessLevel } from '../../../../domain/keys/access.js';
import { AuditEventRow, AuditPruningRow, AuditSealRow } from './audit-rows.js';
import { DecoyKeyRow, PasswordGuessesRow } from './guess-rows.js';
import { NoticeSequenceRow, OutboxRow } from './outbox-rows.js';
import { ToldNoticesRow } from './told-rows.js';
import { LeakReportBudgetRow, LeakReportRow } from './leak-rows.js';
import { ApiKeyAddressRow, ApiKeyDayRow, ApiKeyNetworkRow, ApiKeyUsageRow } from './usage-rows.js';

/** The tables, as the migrations leave them: `npm run check` compares the two. */

@Entity('accounts')
@Check('accounts_status', `status IN (${quoted(ACCOUNT_STATUSES)})`)
export class AccountRow {
  @Index('accounts_by_id', { type: 'hash' })
  @PrimaryColumn('varchar', { length: 128, primaryKeyConstraintName: 'accounts_pkey' })
  id!: string;
  @Column('text')
  email!: string;
  /** The lower case of the email, which is unique; null once the account is purged. */
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
  status!: AccountStatus;
  @Column({ type: 'numeric', precision: 20, scale: 0 })
  version!: string;
  /** What was known of the person is forgotten. The row holds the id and its last version. */
  @Column('boolean', { default: false })
  purged!: boolean;
  /** Events up to this one are those of purged accounts that had the id before. */
  @Column('bigint', { name: 'former_event_id', default: 0 })
  formerEventId!: string;
}

@Entity('api_keys')
@Check('api_keys_access', `access IN (${quoted(ACCESS_LEVELS)})`)
@Check('api_keys_digest', 'octet_length(digest) = 32')
@Check('api_keys_ended_once', 'revoked_at IS NULL OR expired_at IS NULL')
@Index('api_keys_of_owner', ['ownerId', 'createdAt', 'id'])
@Index('api_keys_idempotency_key', ['ownerId', 'idempotencyKey'], { unique: true })
@Index('api_keys_open_by_expiry', ['expiresAt'], { where: 'revoked_at IS NULL AND expired_at IS NULL' })
@Index('api_keys_unused_successors', ['createdAt'], {
  where: 'replaces IS NOT NULL AND first_used_at IS NULL AND revoked_at IS NULL AND expired_at IS NULL',
})
@Index('api_keys_open_by_end', ['endsAt'], {
  where: 'revoked_at IS NULL AND expired_at IS NULL AND ends_at IS NOT NULL',
})
export class ApiKeyRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;
  @Column('varchar', { name: 'owner_id', length: 128 })
  ownerId!: string;
  @ManyToOne(() => AccountRow, { nullable: false })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'api_keys_owner_id_fkey' })
  owner?: AccountRow;
  @Column('text')
  name!: string;
  @Column('varchar', { length: 14 })
  access!: AccessLevel;
  @Column('varchar', { name: 'key_prefix', length: 16 })
  keyPrefix!: string;
  @Index('api_keys_public_part', { unique: true })
  @Index('api_keys_by_public_part', { type: 'hash' })
  @Column('char', { name: 'public_part', length: 24 })
  publicPart!: string;
  @Column('bytea')
  digest!: Buffer;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'expired_at', precision: 3, nullable: true })
  expiredAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'ends_at', precision: 3, nullable: true })
  endsAt!: Date | null;
  @Column('uuid', { nullable: true })
  replaces!: string | null;
  @Column('uuid', { name: 'replaced_by', nullable: true })
  replacedBy!: string | null;
  @Column('integer', { name: 'grace_seconds', nullable: true })
  graceSeconds!: number | null;
  @Column({ type: 'timestamptz', name: 'first_used_at', precision: 3, nullable: true })
  firstUsedAt!: Date | null;
  @Column('varchar', { name: 'idempotency_key', length: 255, nullable: true })
  idempotencyKey!: string | null;
  /** Of a purged account: the one that has its id by now must not see the key. */
  @Column('boolean', { default: false })
  purged!: boolean;
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
  /** Of a sign-in at the platform, like `acr`. */
  @Column({ type: 'timestamptz', name: 'authenticated_at', precision: 3, nullable: true })
  authenticatedAt!: Date | null;
  @Column('text', { nullable: true })
  acr!: string | null;
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ');
}

export const ROWS = [
  AccountRow,
  ApiKeyRow,
  ApiKeyUsageRow,
  ApiKeyAddressRow,
  ApiKeyDayRow,
  ApiKeyNetworkRow,
  SessionRow,
  PasswordGuessesRow,
  DecoyKeyRow,
  AuditEventRow,
  AuditSealRow,
  AuditPruningRow,
  OutboxRow,
  NoticeSequenceRow,
  ToldNoticesRow,
  LeakReportRow,
  LeakReportBudgetRow,
];
