import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { BIGINT, TIME } from '../client/columns.js';
import { type AuditEvent, storedDetails } from '#domain/audit/audit-event.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';

/** Append-only (docs/audit.md): triggers refuse UPDATE and TRUNCATE, and any DELETE that no recorded pruning covers. */
@Entity('audit_events')
export class AuditEventRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @Column({ ...TIME, default: () => 'clock_timestamp()' }) at!: Date;
  @Column('varchar', { length: 32 }) type!: string;
  @Column('varchar', { length: 128, nullable: true }) ownerId!: string | null;
  @Column('uuid', { nullable: true }) keyId!: string | null;
  /** The account or administrator that acted; null for the service itself, and where authentication failed. */
  @Column('varchar', { length: 128, nullable: true }) actorId!: string | null;
  @Column('varchar', { length: 32, nullable: true }) reason!: string | null;
  @Column('integer', { default: 1 }) count!: number;
  @Column('varchar', { length: 24, nullable: true }) publicPart!: string | null;
  @Column('varchar', { length: 45, nullable: true }) clientIp!: string | null;
  @Column('varchar', { length: 256, nullable: true }) userAgent!: string | null;
  @Column('varchar', { length: 128, nullable: true }) requestId!: string | null;
  /** JSON, sealed as this exact text. */
  @Column('text', { nullable: true }) details!: string | null;
}

/** Each seal covers the events after the previous seal, without a gap. Append-only. */
@Entity('audit_seals')
export class AuditSealRow {
  /** Counts from 1 without a gap. */
  @PrimaryColumn(BIGINT) id!: bigint;
  @Column(BIGINT) fromEventId!: bigint;
  @Column(BIGINT) toEventId!: bigint;
  @Column('integer') eventCount!: number;
  @Column('bytea') eventsMac!: Buffer;
  @Column(TIME) sealedAt!: Date;
  @Column('bytea') previousMac!: Buffer;
  @Column('bytea') mac!: Buffer;
}

/** What retention has deleted: the events up to `toEventId`, the last of which `toSealId` sealed. Append-only. */
@Entity('audit_prunings')
export class AuditPruningRow {
  /** Counts from 1 without a gap. */
  @PrimaryColumn(BIGINT) id!: bigint;
  @Column(BIGINT) toEventId!: bigint;
  /** Null, like the MAC, when the deleted events were not sealed. */
  @Column({ ...BIGINT, nullable: true }) toSealId!: bigint | null;
  @Column(TIME) prunedAt!: Date;
  @Column('bytea', { nullable: true }) mac!: Buffer | null;
}

/** Without the columns that PostgreSQL fills, and those of failures. The compiler reports a missing one. */
type StoredEvent = Omit<AuditEventRow, 'id' | 'at' | 'count' | 'publicPart'>;

export function fromAuditEvent(event: AuditEvent, ownerId: string | null): StoredEvent {
  const { client } = event;
  return {
    type: event.type,
    ownerId,
    keyId: 'keyId' in event ? event.keyId : null,
    reason: ('reason' in event && event.reason) || null,
    actorId: event.actorId,
    clientIp: client.ip,
    userAgent: client.userAgent,
    requestId: client.requestId,
    details: storedDetails(event),
  };
}

/** A column has the name of its field, here and in seals. The compiler reports a missing one. */
export function toSealableEvent(row: AuditEventRow): SealableEvent {
  return { ...row, id: BigInt(row.id) };
}
