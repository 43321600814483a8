import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A report of leaked keys, until all of them have ended. */
@Entity('leak_reports')
@Index('leak_reports_waiting', ['tries', 'id'])
export class LeakReportRow {
  /** Ascending in the order of arrival. */
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'leak_reports_pkey',
  })
  id!: string;
  /** One for each digest, in the same order. */
  @Column('text', { name: 'public_parts', array: true })
  publicParts!: string[];
  /** SHA-256 of each key string. */
  @Column('bytea', { array: true })
  digests!: Buffer[];
  /** The service that sent the report; null for a report through the public endpoint. */
  @Column('varchar', { name: 'actor_id', length: 128, nullable: true })
  actorId!: string | null;
  @Column('varchar', { name: 'client_ip', length: 45, nullable: true })
  clientIp!: string | null;
  @Column('varchar', { name: 'user_agent', length: 256, nullable: true })
  userAgent!: string | null;
  @Column('varchar', { name: 'request_id', length: 128, nullable: true })
  requestId!: string | null;
  @Column('text', { nullable: true })
  source!: string | null;
  @Column('text', { nullable: true })
  url!: string | null;
  /** How often keys of the report were left for another turn. */
  @Column('integer', { default: 0 })
  tries!: number;
  /** Set by the instance that is ending the keys. If it dies, others may take over after this time. */
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true })
  claimedUntil!: Date | null;
}

/** How much more a network or a service may report. */
@Entity('leak_report_budgets')
export class LeakReportBudgetRow {
  /** SHA-256 of the name of the network or service. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'leak_report_budgets_pkey' })
  network!: Buffer;
  /** When the budget is full again. */
  @Index('leak_report_budgets_by_time')
  @Column({ type: 'timestamptz', name: 'whole_at', precision: 3 })
  wholeAt!: Date;
}
