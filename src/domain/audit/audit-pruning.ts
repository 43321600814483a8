import type { KeyObject } from 'node:crypto';
import { macOf, sameMac, type AuditSeal, type SealKeys } from './audit-seal.js';

/** A deletion by retention: of the events of all seals up to this one. The seals themselves stay. */
export interface AuditPruning {
  /** 1, 2, 3, … without gaps. */
  readonly id: bigint;
  readonly toSealId: bigint;
  readonly toEventId: bigint;
  readonly prunedAt: Date;
  readonly mac: Buffer;
}

export function recordPruning(key: KeyObject, previousId: bigint, upTo: AuditSeal, now: Date): AuditPruning {
  const pruning = { id: previousId + 1n, toSealId: upTo.id, toEventId: upTo.toEventId, prunedAt: now };
  return { ...pruning, mac: pruningMac(key, pruning) };
}

export function isPruningGenuine(keys: SealKeys, pruning: AuditPruning): boolean {
  return keys.some((key) => sameMac(pruning.mac, pruningMac(key, pruning)));
}

/** The last seal whose events were deleted, according to genuine prunings; 0 for none. */
export function lastPrunedSealId(prunings: readonly AuditPruning[]): bigint {
  return prunings.reduce((most, { toSealId }) => (toSealId > most ? toSealId : most), 0n);
}

function pruningMac(key: KeyObject, { id, toSealId, toEventId, prunedAt }: Omit<AuditPruning, 'mac'>): Buffer {
  return macOf(key, ['latchkey audit pruning 1', String(id), String(toSealId), String(toEventId), prunedAt.valueOf()]);
}
