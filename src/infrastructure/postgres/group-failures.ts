import type { FailedAuthentication } from '../../application/audit.js';
import { clientNetwork } from '../../application/client-network.js';

export interface FailureGroup {
  /** The first of them stands for all. */
  readonly failure: FailedAuthentication;
  readonly count: number;
}

/** Failures alike in reason, credential and client network, each group with its number. */
export function groupFailures(failures: readonly FailedAuthentication[]): FailureGroup[] {
  const groups = new Map<string, { failure: FailedAuthentication; count: number }>();
  for (const failure of failures) {
    const { reason, ownerId, keyId, publicPart, client } = failure;
    const likeness = JSON.stringify([reason, ownerId, keyId, publicPart, clientNetwork(client.ip)]);
    const group = groups.get(likeness);
    if (group) group.count += 1;
    else groups.set(likeness, { failure, count: 1 });
  }
  return [...groups.values()];
}
