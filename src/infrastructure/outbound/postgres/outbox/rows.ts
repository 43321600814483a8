import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { NoticeChannel } from '../../../../domain/notices/channel.js';
import type { NoticeType } from '../../../../domain/notices/key-notice.js';

/** One for each channel that a notice goes to, until it is delivered, or was failed for as long as failed ones are kept. */
@Entity('outbox')
@Check('outbox_channel', `channel IN ('webhook', 'mail')`)
@Index('outbox_waiting', ['channel', 'nextTryAt', 'sequence'], { where: 'failed_at IS NULL' })
@Index('outbox_mail_of_owner', ['ownerId'], { where: "channel = 'mail'" })
export class OutboxRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'outbox_pkey' })
  id!: string;
  @Column('varchar', { length: 7 })
  channel!: NoticeChannel;
  @Column('varchar', { length: 40 })
  type!: NoticeType;
  @Column('varchar', { name: 'owner_id', length: 128 })
  ownerId!: string;
  /** JSON, which is sent as the text that it is: each try is the same to the letter. */
  @Column('text')
  data!: string;
  @Column({ type: 'timestamptz', name: 'told_at', precision: 3 })
  toldAt!: Date;
  @Column('bigint')
  sequence!: string;
  /** In vain. */
  @Column('integer', { default: 0 })
  tries!: number;
  @Column({ type: 'timestamptz', name: 'next_try_at', precision: 3 })
  nextTryAt!: Date;
  /** A try in vain after this one is the last. */
  @Index('outbox_by_end')
  @Column({ type: 'timestamptz', name: 'give_up_at', precision: 3 })
  giveUpAt!: Date;
  /** Of the sender that is at it. One that has died leaves it to others when this has passed. */
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true })
  claimedUntil!: Date | null;
  /** When it was given up. */
  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, nullable: true })
  failedAt!: Date | null;
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;
}

/** Apart from api_keys, so that telling of a key locks and changes nothing that a validation reads. */
@Entity('notice_sequences')
export class NoticeSequenceRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'notice_sequences_pkey' })
  keyId!: string;
  @Column('bigint')
  last!: string;
}

/** What has been told of a key because time has passed. Apart from api_keys: telling changes nothing that a validation reads. */
@Entity('told_notices')
export class ToldNoticesRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'told_notices_pkey' })
  keyId!: string;
  /** The fewest days before the expiry that were told. */
  @Column('smallint', { name: 'expiry_days', nullable: true })
  expiryDays!: number | null;
  @Column('boolean', { name: 'rotation_unused', default: false })
  rotationUnused!: boolean;
}
