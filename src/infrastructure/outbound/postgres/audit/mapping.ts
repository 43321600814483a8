import type { AuditEvent } from '../../../../domain/audit/audit-event.js';
import type { AuditPruning } from '../../../../domain/audit/audit-pruning.js';
import type { AuditSeal, SealableEvent } from '../../../../domain/audit/audit-seal.js';
import type { AuditEventRow, AuditPruningRow, AuditSealRow } from './rows.js';

export function fromAuditEvent({ client, ...event }: AuditEvent, ownerId: string) {
  return {
    type: event.type,
    ownerId,
    keyId: 'keyId' in event ? event.keyId : null,
    reason: ('reason' in event && event.reason) || null,
    actorId: event.actorId,
    clientIp: client.ip,
    userAgent: client.userAgent,
    requestId: client.requestId,
    details: event.details ? JSON.stringify(event.details) : null,
  };
}

export function toSealableEvent(row: AuditEventRow): SealableEvent {
  return {
    id: BigInt(row.id),
    at: row.at,
    type: row.type,
    ownerId: row.ownerId,
    keyId: row.keyId,
    actorId: row.actorId,
    reason: row.reason,
    count: row.count,
    publicPart: row.publicPart,
    clientIp: row.clientIp,
    userAgent: row.userAgent,
    requestId: row.requestId,
    details: row.details,
  };
}

export function toSeal(row: AuditSealRow): AuditSeal {
  return {
    id: BigInt(row.id),
    fromEventId: BigInt(row.fromEventId),
    toEventId: BigInt(row.toEventId),
    eventCount: row.eventCount,
    eventsMac: row.eventsMac,
    sealedAt: row.sealedAt,
    previousMac: row.previousMac,
    mac: row.mac,
  };
}

export function fromSeal(seal: AuditSeal): AuditSealRow {
  return {
    id: String(seal.id),
    fromEventId: String(seal.fromEventId),
    toEventId: String(seal.toEventId),
    eventCount: seal.eventCount,
    eventsMac: seal.eventsMac,
    sealedAt: seal.sealedAt,
    previousMac: seal.previousMac,
    mac: seal.mac,
  };
}

/** For a pruning that was recorded with an audit key. */
export function toPruning(row: AuditPruningRow): AuditPruning {
  return {
    id: BigInt(row.id),
    toSealId: BigInt(row.toSealId ?? 0),
    toEventId: BigInt(row.toEventId),
    prunedAt: row.prunedAt,
    mac: row.mac!,
  };
}
