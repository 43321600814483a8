import { type FailedAuthentication, type FailureReason, NO_CLIENT } from './audit-event.js';
import { clientNetwork } from './client-network.js';

export interface FailureGroup {
  /** What the failures have in common. The client is that of the first one. */
  readonly failure: FailedAuthentication;
  readonly count: number;
}

/**
 * Groups failures that have the same reason, credential and client network.
 * @param isFlood ignores a credential that points at no account, so that guesses from one network make few groups
 */
export function groupFailures(failures: readonly FailedAuthentication[], isFlood: boolean): FailureGroup[] {
  const groups = new Map<string, { failure: FailedAuthentication; count: number }>();
  for (const failure of failures) {
    const { reason, ownerId, keyId, publicPart, client } = failure;
    const credential = isFlood && ownerId === null ? null : publicPart;
    const identity = JSON.stringify([reason, ownerId, keyId, credential, clientNetwork(client.ip)]);
    const group = groups.get(identity);
    if (!group) groups.set(identity, { failure, count: 1 });
    else {
      group.count += 1;
      if (group.failure.publicPart !== publicPart) group.failure = { ...group.failure, publicPart: null };
    }
  }
  return [...groups.values()];
}

/**
 * Keeps groups of known owners first, then earlier ones. The others are merged into one group for each reason, without
 * owner, key and network. The sum of the counts stays the same.
 * @param maxGroups below the number of reasons, the result is one group for each reason
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
