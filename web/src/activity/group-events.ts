// Imports nothing, because test/contracts/screen-events.spec.ts runs it without a bundler.

interface Event {
  readonly type: string;
  readonly at: string;
  readonly keyId: string | null;
  readonly reason: string | null;
  readonly count: number;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
}

/** One event, or equal refusals that follow each other. */
export interface EventGroup<E extends Event> {
  /** The newest event. Its user agent is null if the others have different ones. */
  readonly event: E;
  /** The time of the oldest event. */
  readonly since: string;
  /** The number of requests. One event may stand for several that arrived together. */
  readonly count: number;
}

/** @param events newest first */
export function groupEvents<E extends Event>(events: readonly E[]): readonly EventGroup<E>[] {
  const groups: EventGroup<E>[] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (group && isEqualRefusal(group.event, event)) groups[groups.length - 1] = joined(group, event);
    else groups.push({ event, since: event.at, count: event.count });
  }
  return groups;
}

function isEqualRefusal(newer: Event, older: Event): boolean {
  if (newer.type !== 'authentication.failed' || older.type !== newer.type) return false;
  return newer.keyId === older.keyId && newer.reason === older.reason && newer.clientIp === older.clientIp;
}

function joined<E extends Event>({ event, count }: EventGroup<E>, older: E): EventGroup<E> {
  const userAgent = event.userAgent === older.userAgent ? event.userAgent : null;
  return { event: { ...event, userAgent }, since: older.at, count: count + older.count };
}
