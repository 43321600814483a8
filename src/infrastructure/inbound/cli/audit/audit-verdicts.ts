import type { BrokenTrail, ExportedSeal, IntactTrail } from '../../../../application/audit/verify-audit-trail.js';
import type { AuditSeal } from '../../../../domain/audit/audit-seal.js';
import type { Answer } from '../answering.js';
import { UsageError } from '../failures.js';

export function describeIntact(trail: IntactTrail): Answer {
  const { newest, sealedEvents, prunedToSealId, unsealedEvents, oldestUnsealedAt } = trail;
  const since = oldestUnsealedAt ? `, the oldest of ${oldestUnsealedAt.toISOString()}` : '';
  const text = [
    `OK: ${newest?.id ?? 0} seals hold, over ${sealedEvents} events`,
    ...(prunedToSealId > 0n ? [`    the events of the first ${prunedToSealId} seals were deleted by retention`] : []),
    `    ${unsealedEvents} events are not sealed yet${since}`,
  ].join('\n');
  const document = {
    intact: true,
    seals: String(newest?.id ?? 0),
    sealedEvents,
    prunedSeals: String(prunedToSealId),
    unsealedEvents,
    oldestUnsealedAt: oldestUnsealedAt?.toISOString() ?? null,
  };
  return { document, text };
}

export function describeBroken({ problem, seal }: BrokenTrail): Answer {
  const { id, fromEventId, toEventId } = seal ?? {};
  const where = seal ? `seal ${id}, events ${fromEventId} to ${toEventId}: ` : '';
  const place = seal ? { seal: String(id), fromEventId: String(fromEventId), toEventId: String(toEventId) } : {};
  return { document: { intact: false, problem, ...place }, text: `BROKEN: ${where}${problem}` };
}

/** One line of JSON for people too: it is made to be kept. */
export function exportSeal({ id, toEventId, sealedAt, mac }: AuditSeal): Answer {
  const document = {
    seal: String(id),
    toEventId: String(toEventId),
    sealedAt: sealedAt.toISOString(),
    mac: mac.toString('hex'),
  };
  return { document, text: JSON.stringify(document) };
}

export function parseSeal(text: string): ExportedSeal {
  try {
    const { seal, mac } = JSON.parse(text) as { seal?: unknown; mac?: unknown };
    if (typeof seal === 'string' && /^[1-9]\d{0,17}$/.test(seal) && typeof mac === 'string') {
      return { id: BigInt(seal), mac: Buffer.from(mac, 'hex') };
    }
  } catch {
    // Reported below, like everything else that is no seal.
  }
  throw new UsageError('--expect must be followed by the line that --export-seal printed');
}
