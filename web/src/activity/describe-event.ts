import type { AuditEvent } from '../api/types';
import type { Texts } from '../texts';

type Sentence = string | ((keyName: string) => string);

/** The sentence for an event; for an event of a key, a function of the key's name. */
export function describeEvent({ type, keyId, reason }: AuditEvent, { activity }: Texts): Sentence {
  if (type === 'api_key.revoked') return find(activity.revokedKey, reason) ?? activity.event[type];
  if (type !== 'authentication.failed') return activity.event[type];
  if (keyId !== null) return find(activity.refusedKey, reason) ?? activity.otherRefusedKey;
  return find(activity.refused, reason) ?? activity.otherRefused;
}

/** A newer service may know reasons that this screen does not. */
function find<T>(table: Readonly<Record<string, T>>, reason: string | null): T | undefined {
  return reason !== null && Object.hasOwn(table, reason) ? table[reason] : undefined;
}
