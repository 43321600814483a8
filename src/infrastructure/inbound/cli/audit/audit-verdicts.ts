import type { Comparison } from '#application/audit/compare-with-audit-trail.js';
import type { BrokenTrail, ExportedSeal, IntactTrail } from '#application/audit/verify-audit-trail.js';
import type { AuditSeal } from '#domain/audit/audit-seal.js';
import { type Answer, UsageError } from '../answering.js';

/** Someone with the database's password can store any text: control characters must not reach the terminal. */
const CONTROLS = /[\p{Cc}\p{Cf}]/gu;

export function describeIntact(trail: IntactTrail): Answer {
  const { newest, sealedEvents, prunedToSealId, unsealedEvents, oldestUnsealedAt, comparison } = trail;
  const { keys, accounts } = comparison;
  const since = oldestUnsealedAt ? `, the oldest from ${oldestUnsealedAt.toISOString()}` : '';
  const pruned = `seals whose events were deleted by retention: ${prunedToSealId}`;
  const partly = `compared only in part, because they are older than their events: keys ${keys.takenAsFound}, accounts ${accounts.takenAsFound}`;
  const text = [
    'OK: the audit trail is intact, and all keys and accounts match it',
    `seals: ${newest?.id ?? 0}, sealed events: ${sealedEvents}`,
    ...(prunedToSealId > 0n ? [pruned] : []),
    `events not sealed yet: ${unsealedEvents}${since}`,
    `keys: ${keys.count}, accounts: ${accounts.count}`,
    ...(keys.takenAsFound + accounts.takenAsFound > 0 ? [partly] : []),
  ].join('\n    ');
  const ofSeals = { seals: String(newest?.id ?? 0), sealedEvents, prunedSeals: String(prunedToSealId) };
  const unsealed = { unsealedEvents, oldestUnsealedAt: oldestUnsealedAt?.toISOString() ?? null };
  return { document: { intact: true, ...ofSeals, ...unsealed, keys, accounts }, text };
}

export function describeBroken({ problem, seal, comparison }: BrokenTrail): Answer {
  if (comparison) return describeDifferences(problem, comparison);
  const { id, fromEventId, toEventId } = seal ?? {};
  const where = seal ? `seal ${id}, events ${fromEventId} to ${toEventId}: ` : '';
  const place = seal ? { seal: String(id), fromEventId: String(fromEventId), toEventId: String(toEventId) } : {};
  return { document: { intact: false, problem, ...place }, text: `BROKEN: ${where}${problem}` };
}

function describeDifferences(problem: string, { differences, moreDifferences }: Comparison): Answer {
  const lines = differences.map((each) => `    ${each.subject} ${each.id} ${each.problem}`.replace(CONTROLS, '�'));
  const more = moreDifferences > 0 ? [`    and ${moreDifferences} more`] : [];
  const document = { intact: false, problem, differences, moreDifferences };
  return { document, text: [`BROKEN: ${problem}`, ...lines, ...more].join('\n') };
}

/** One line of JSON for people too, because they store it. */
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
    // Refused below, like any other text that is not a seal.
  }
  throw new UsageError('--expect must be followed by the line that --export-seal printed');
}
