// Imports nothing, because test/contracts/screen-history.spec.ts runs it without a bundler.

interface Event {
  readonly type: string;
  readonly keyId: string | null;
  readonly reason: string | null;
  readonly previousName: string | null;
}

type OfKey = (keyName: string) => string;

/** Tables by the type of an event or by its reason, and what to say of one that they lack. */
interface Words {
  readonly event: Readonly<Record<string, OfKey>>;
  readonly ofAccount: Readonly<Record<string, string>>;
  readonly renamedFrom: (previousName: string, keyName: string) => string;
  readonly revokedKey: Readonly<Record<string, OfKey>>;
  readonly rejectedKey: Readonly<Record<string, OfKey>>;
  readonly rejected: Readonly<Record<string, string>>;
  readonly other: string;
  readonly otherOfKey: OfKey;
  readonly otherRejected: string;
  readonly otherRejectedKey: OfKey;
}

/** The sentence for an event; for an event of a key, a function of the key's name. */
export function describeEvent({ type, keyId, reason, previousName }: Event, words: Words): string | OfKey {
  if (type === 'authentication.failed') {
    if (keyId !== null) return find(words.rejectedKey, reason) ?? words.otherRejectedKey;
    return find(words.rejected, reason) ?? words.otherRejected;
  }
  if (keyId === null) return find(words.ofAccount, type) ?? words.other;
  if (type === 'api_key.renamed' && previousName !== null) return (name) => words.renamedFrom(previousName, name);
  const plain = find(words.event, type) ?? words.otherOfKey;
  return type === 'api_key.revoked' ? (find(words.revokedKey, reason) ?? plain) : plain;
}

/** A newer service may know types and reasons that this screen does not. */
function find<T>(table: Readonly<Record<string, T>>, name: string | null): T | undefined {
  return name !== null && Object.hasOwn(table, name) ? table[name] : undefined;
}

interface GroupedEvent {
  readonly type: string;
  readonly at: string;
  readonly keyId: string | null;
  readonly reason: string | null;
  readonly count: number;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
}

/** One event, or equal refusals that follow each other. */
export interface EventGroup<E extends GroupedEvent> {
  /** The newest event. Its user agent is null if the others have different ones. */
  readonly event: E;
  /** The time of the oldest event. */
  readonly since: string;
  /** The number of requests. One event may stand for several that arrived together. */
  readonly count: number;
}

/** @param events newest first */
export function groupEvents<E extends GroupedEvent>(events: readonly E[]): readonly EventGroup<E>[] {
  const groups: EventGroup<E>[] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (group && isEqualRefusal(group.event, event)) groups[groups.length - 1] = joined(group, event);
    else groups.push({ event, since: event.at, count: event.count });
  }
  return groups;
}

function isEqualRefusal(newer: GroupedEvent, older: GroupedEvent): boolean {
  if (newer.type !== 'authentication.failed' || older.type !== newer.type) return false;
  return newer.keyId === older.keyId && newer.reason === older.reason && newer.clientIp === older.clientIp;
}

function joined<E extends GroupedEvent>({ event, count }: EventGroup<E>, older: E): EventGroup<E> {
  const userAgent = event.userAgent === older.userAgent ? event.userAgent : null;
  return { event: { ...event, userAgent }, since: older.at, count: count + older.count };
}
