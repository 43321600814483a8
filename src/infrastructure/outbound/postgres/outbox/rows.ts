import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { NoticeChannel, NoticeType } from '../../../../domain/notices/key-notice.js';

/**
 * One row for the platform and one for each person that a notice goes to. It stays until the notice is delivered, or until failed notices are
 * deleted.
 */
@Entity('outbox')
@Check('outbox_channel', `channel IN ('webhook', 'mail')`)
@Index('outbox_waiting', ['channel', 'nextTryAt', 'sequence'], { where: 'failed_at IS NULL' })
@Index('outbox_mail_of_owner', ['ownerId'], { where: "channel = 'mail'" })
@Index('outbox_mail_of_manager', ['recipient'], { where: 'recipient IS NOT NULL' })
export class OutboxRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'outbox_pkey' })
  id!: string;
  @Column('varchar', { length: 7 })
  channel!: NoticeChannel;
  @Column('varchar', { length: 40 })
  type!: NoticeType;
  @Column('varchar', { name: 'owner_id', length: 128 })
  ownerId!: string;
  /** The manager of the owner whom a mail goes to; null for the owner, and for webhooks. */
  @Column('varchar', { length: 128, nullable: true })
  recipient!: string | null;
  /** JSON, sent as this exact text, so that all attempts are identical. */
  @Column('text')
  data!: string;
  @Column({ type: 'timestamptz', name: 'told_at', precision: 3 })
  toldAt!: Date;
  @Column('bigint')
  sequence!: string;
  /** Failed attempts. */
  @Column('integer', { default: 0 })
  tries!: number;
  @Column({ type: 'timestamptz', name: 'next_try_at', precision: 3 })
  nextTryAt!: Date;
  /** An attempt that fails after this time is the last one. */
  @Index('outbox_by_end')
  @Column({ type: 'timestamptz', name: 'give_up_at', precision: 3 })
  giveUpAt!: Date;
  /** Set by the sender that is delivering the notice. If the sender dies, others may take over after this time. */
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true })
  claimedUntil!: Date | null;
  /** When the notice was given up. */
  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, nullable: true })
  failedAt!: Date | null;
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;
}

/** Separate from api_keys, so that writing a notice neither locks nor changes what a validation reads. */
@Entity('notice_sequences')
export class NoticeSequenceRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'notice_sequences_pkey' })
  keyId!: string;
  @Column('bigint')
  last!: string;
}
