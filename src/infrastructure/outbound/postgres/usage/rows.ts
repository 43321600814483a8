import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Like all usage, without a reference to api_keys: writing a use and revoking a key never wait for each other. */
@Entity('api_key_usage')
export class ApiKeyUsageRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_usage_pkey' })
  keyId!: string;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3 })
  lastUsedAt!: Date;
  /** Whether the key was ever used from a known network. */
  @Column('boolean', { name: 'has_networks', default: false })
  hasNetworks!: boolean;
  /** The last day on which its owner was notified of a new network. */
  @Column('date', { name: 'network_told_on', nullable: true })
  networkNotifiedOn!: string | null;
}

/** The last addresses that a key was granted from, a few for each key. */
@Entity('api_key_addresses')
export class ApiKeyAddressRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_addresses_pkey' })
  keyId!: string;
  @PrimaryColumn('varchar', { name: 'client_ip', length: 45, primaryKeyConstraintName: 'api_key_addresses_pkey' })
  clientIp!: string;
  @Column('text', { nullable: true })
  service!: string | null;
  @Column({ type: 'timestamptz', name: 'first_at', precision: 3 })
  firstAt!: Date;
  @Index('api_key_addresses_by_age')
  @Column({ type: 'timestamptz', name: 'last_at', precision: 3 })
  lastAt!: Date;
}

/** The last addresses that a key was denied from, a few for each key. */
@Entity('api_key_denials')
export class ApiKeyDenialRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_denials_pkey' })
  keyId!: string;
  @PrimaryColumn('varchar', { name: 'client_ip', length: 45, primaryKeyConstraintName: 'api_key_denials_pkey' })
  clientIp!: string;
  @Column('text', { nullable: true })
  service!: string | null;
  @Column({ type: 'timestamptz', name: 'first_at', precision: 3 })
  firstAt!: Date;
  @Index('api_key_denials_by_age')
  @Column({ type: 'timestamptz', name: 'last_at', precision: 3 })
  lastAt!: Date;
  @Column('varchar', { length: 32 })
  reason!: string;
  @Column('varchar', { length: 32 })
  operation!: string;
  @Column('text')
  permission!: string;
}

@Entity('api_key_days')
export class ApiKeyDayRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_days_pkey' })
  keyId!: string;
  /** In UTC. */
  @Index('api_key_days_by_age')
  @PrimaryColumn('date', { primaryKeyConstraintName: 'api_key_days_pkey' })
  day!: string;
  @Column('bigint')
  granted!: string;
  @Column('bigint')
  refused!: string;
}

/** The networks that a key was granted from. */
@Entity('api_key_networks')
export class ApiKeyNetworkRow {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_networks_pkey' })
  keyId!: string;
  @PrimaryColumn('varchar', { length: 45, primaryKeyConstraintName: 'api_key_networks_pkey' })
  network!: string;
  /** The day of the last grant from this network, in UTC. */
  @Index('api_key_networks_by_age')
  @Column('date', { name: 'last_on' })
  lastOn!: string;
}
