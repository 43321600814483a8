import type { SealableEvent } from '../../../../domain/audit/audit-seal.js';

/** An event as one line of JSON: every column, as it is sealed. */
export function eventLine(event: SealableEvent): string {
  return JSON.stringify({
    id: String(event.id),
    at: event.at.toISOString(),
    type: event.type,
    ownerId: event.ownerId,
    keyId: event.keyId,
    actorId: event.actorId,
    reason: event.reason,
    count: event.count,
    publicPart: event.publicPart,
    clientIp: event.clientIp,
    userAgent: event.userAgent,
    requestId: event.requestId,
    details: event.details,
  });
}
