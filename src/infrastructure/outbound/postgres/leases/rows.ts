import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A process that may give leases. Changes wait for its leases until the row is deleted. */
@Entity('lease_registrations')
export class LeaseRegistrationRow {
  /** Random, and new at each registration. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'lease_registrations_pkey' })
  id!: string;
  @Column('integer', { name: 'lease_ms' })
  leaseMs!: number;
  @Column({ type: 'timestamptz', name: 'renewed_at', precision: 3 })
  renewedAt!: Date;
  /** A random id, once the process may give no more leases under this registration. */
  @Column('uuid', { nullable: true })
  fence!: string | null;
}

/** At most one row, written with the first registration ever. */
@Entity('lease_timeline')
@Check('lease_timeline_is_one', 'id = 1')
export class LeaseTimelineRow {
  @PrimaryColumn('integer', { default: 1, primaryKeyConstraintName: 'lease_timeline_pkey' })
  id!: number;
  /** The WAL timeline on which no registration is missing. 0 where the server has no timelines. */
  @Column('bigint')
  timeline!: string;
}

/** A change that is committed, and not answered yet. */
@Entity('pending_changes')
export class PendingChangeRow {
  @PrimaryColumn('uuid', { name: 'change_id', primaryKeyConstraintName: 'pending_changes_pkey' })
  changeId!: string;
  @Index('pending_changes_of_owner')
  @Column('varchar', { name: 'owner_id', length: 128 })
  ownerId!: string;
}
