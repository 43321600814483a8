import type { Decided } from './guard-process.js';

/** What a change leaves behind. */
export interface AccountState {
  /** An attribute, different after each change of the account. */
  readonly version: string;
  readonly isActive: boolean;
  readonly permissions: readonly string[];
  /** The ids of the keys that work. */
  readonly keys: readonly string[];
}

/** One change of an account. The changes of an account follow each other: each begins after the answer of the one before. */
export interface Change {
  readonly what: string;
  readonly invokedAt: number;
  /** Of the first call that was answered. A call that failed is repeated until one is. */
  readonly answeredAt: number;
  readonly after: AccountState;
}

/** An old key without a grace period stops with the first use of its successor. */
export interface Rotation {
  readonly oldId: string;
  readonly successorId: string;
}

export interface StaleGrant {
  readonly grant: Decided;
  readonly why: string;
}

/**
 * Finds the grants that break promise 1: the request started after a change was answered, and no state from then on until
 * the end of the request allows what was granted.
 */
export function staleGrants(
  changes: readonly Change[],
  rotations: readonly Rotation[],
  decisions: readonly Decided[],
): StaleGrant[] {
  const grants = decisions.filter(({ status }) => status === 200);
  const firstUses = new Map<string, number>();
  for (const { keyId, endedAt } of grants) {
    firstUses.set(keyId, Math.min(endedAt, firstUses.get(keyId) ?? Infinity));
  }
  const successors = new Map(rotations.map(({ oldId, successorId }) => [oldId, successorId]));
  const stale: StaleGrant[] = [];
  for (const grant of grants) {
    const possible = changes.filter(({ invokedAt }, index) => {
      const next = changes[index + 1];
      return invokedAt < grant.endedAt && !(next && next.answeredAt < grant.startedAt);
    });
    const successor = successors.get(grant.keyId);
    if (successor !== undefined && (firstUses.get(successor) ?? Infinity) < grant.startedAt) {
      stale.push({ grant, why: 'its successor was used before' });
    } else if (!possible.some(({ after }) => allows(after, grant))) {
      stale.push({ grant, why: `not allowed after ${possible.map(({ what }) => what).join(', or after ')}` });
    }
  }
  return stale;
}

function allows({ version, isActive, permissions, keys }: AccountState, grant: Decided): boolean {
  return (
    isActive &&
    grant.version === version &&
    keys.includes(grant.keyId) &&
    [...grant.granted].sort().join() === [...permissions].sort().join() &&
    (grant.permission === '' || permissions.includes(grant.permission))
  );
}
