import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { AccountRow } from '../accounts/rows.js';

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

/** Holds a single row: random bytes for decoys and for the cookies of pending sign-ins. */
@Entity('decoy_key')
@Check('decoy_key_is_one', 'id = 1')
export class DecoyKeyRow {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'decoy_key_pkey' })
  id!: number;
  @Column('bytea')
  key!: Buffer;
}
