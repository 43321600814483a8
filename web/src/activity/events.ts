// Imports only types, because test/contracts/screen-history.spec.ts runs it without a bundler.
import type { AuditEvent } from '../api/types.js';
import type { activity } from '../texts/english/activity.js';

type OfKey = (keyName: string) => string;

/** The sentence for an event; for an event of a key, a function of the key's name. */
export function describeEvent(
  { type, keyId, reason, previousName }: AuditEvent,
  words: typeof activity,
): string | OfKey {
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

/** One event, or equal refusals that follow each other. */
export interface EventGroup {
  /** The newest event. Its user agent is null if the others have different ones. */
  readonly event: AuditEvent;
  /** The time of the oldest event. */
  readonly since: string;
  /** The number of requests. One event may stand for several that arrived together. */
  readonly count: number;
}

/** @param events newest first */
export function groupEvents(events: readonly AuditEvent[]): readonly EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (group && isEqualRefusal(group.event, event)) groups[groups.length - 1] = joined(group, event);
    else groups.push({ event, since: event.at, count: event.count });
  }
  return groups;
}

function isEqualRefusal(newer: AuditEvent, older: AuditEvent): boolean {
  if (newer.type !== 'authentication.failed' || older.type !== newer.type) return false;
  return newer.keyId === older.keyId && newer.reason === older.reason && newer.clientIp === older.clientIp;
}

function joined({ event, count }: EventGroup, older: AuditEvent): EventGroup {
  const userAgent = event.userAgent === older.userAgent ? event.userAgent : null;
  return { event: { ...event, userAgent }, since: older.at, count: count + older.count };
}

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/(?:Headless)?Chrome\//, 'Chrome'],
  [/Version\/.*Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

const LONGEST = 40;

/** "Firefox, Linux" for a browser, "curl/8.5.0" for a program. */
export function shortUserAgent(userAgent: string): string {
  const named = (table: typeof BROWSERS | typeof SYSTEMS) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = userAgent.startsWith('Mozilla/') ? named(BROWSERS) : undefined;
  if (browser) return [browser, named(SYSTEMS)].filter(Boolean).join(', ');
  const [product = ''] = userAgent.split(' ', 1);
  return product.length > LONGEST ? `${product.slice(0, LONGEST)}…` : product;
}
