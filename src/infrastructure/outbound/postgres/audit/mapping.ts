import { type AuditEvent, storedDetails } from '../../../../domain/audit/audit-event.js';
import type { AuditPruning, AuditSeal, SealableEvent } from '../../../../domain/audit/audit-seal.js';
import type { AuditEventRow, AuditPruningRow, AuditSealRow } from './rows.js';

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

export function toSeal(row: AuditSealRow): AuditSeal {
  return { ...row, id: BigInt(row.id), fromEventId: BigInt(row.fromEventId), toEventId: BigInt(row.toEventId) };
}

export function fromSeal(seal: AuditSeal): AuditSealRow {
  return { ...seal, id: String(seal.id), fromEventId: String(seal.fromEventId), toEventId: String(seal.toEventId) };
}

/** For a pruning that was recorded with an audit key. */
export function toPruning(row: AuditPruningRow): AuditPruning {
  const [id, toSealId, toEventId] = [BigInt(row.id), BigInt(row.toSealId ?? 0), BigInt(row.toEventId)];
  return { id, toSealId, toEventId, prunedAt: row.prunedAt, mac: row.mac! };
}
