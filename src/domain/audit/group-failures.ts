import { type FailedAuthentication, type FailureReason, NO_CLIENT } from './audit-event.js';
import { clientNetwork } from './client-network.js';

export interface FailureGroup {
  /** What they have in common; the client is the first one's. */
  readonly failure: FailedAuthentication;
  readonly count: number;
}

/**
 * Failures alike in reason, credential and client network, each group with its number.
 * @param isFlood then credentials that point at no account are alike too: guesses from one network make one group for each reason
 */
export function groupFailures(failures: readonly FailedAuthentication[], isFlood: boolean): FailureGroup[] {
  const groups = new Map<string, { failure: FailedAuthentication; count: number }>();
  for (const failure of failures) {
    const { reason, ownerId, keyId, publicPart, client } = failure;
    const credential = isFlood && ownerId === null ? null : publicPart;
    const likeness = JSON.stringify([reason, ownerId, keyId, credential, clientNetwork(client.ip)]);
    const group = groups.get(likeness);
    if (!group) groups.set(likeness, { failure, count: 1 });
    else {
      group.count += 1;
      if (group.failure.publicPart !== publicPart) group.failure = { ...group.failure, publicPart: null };
    }
  }
  return [...groups.values()];
}

/**
 * At most so many groups: those of a known owner go before others, earlier ones before later ones, and what remains
 * becomes one group a reason, of no owner, key or network. The counts' sum stays what it was.
 * @param maxGroups when less than the number of reasons, it gives way to one group for each
 */
export function limitGroups(groups: readonly FailureGroup[], maxGroups: number): FailureGroup[] {
  if (groups.length <= maxGroups) return [...groups];
  const byWorth = [...groups.filter(isOfOwner), ...groups.filter((group) => !isOfOwner(group))];
  const reasons = new Set(groups.map(({ failure }) => failure.reason));
  const kept = Math.max(maxGroups - reasons.size, 0);
  const rest = new Map<FailureReason, number>();
  for (const { failure, count } of byWorth.slice(kept)) {
    rest.set(failure.reason, (rest.get(failure.reason) ?? 0) + count);
  }
  return [...byWorth.slice(0, kept), ...[...rest].map(([reason, count]) => ({ failure: anyone(reason), count }))];
}

function isOfOwner({ failure }: FailureGroup): boolean {
  return failure.ownerId !== null;
}

function anyone(reason: FailureReason): FailedAuthentication {
  return { reason, client: NO_CLIENT, ownerId: null, keyId: null, publicPart: null };
}
