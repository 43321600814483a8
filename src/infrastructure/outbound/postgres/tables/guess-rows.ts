import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('password_guesses')
@Index('password_guesses_wrong_by_age', ['lastAttemptAt'], { where: 'succeeded_at IS NULL' })
export class PasswordGuessesRow {
  /** SHA-256 of the subject's name: what people type into an email field is not for us to keep. */
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

/** One row. */
@Entity('decoy_key')
@Check('decoy_key_is_one', 'id = 1')
export class DecoyKeyRow {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'decoy_key_pkey' })
  id!: number;
  @Column('bytea')
  key!: Buffer;
}
