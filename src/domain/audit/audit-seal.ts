import { createHmac, type Hmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** An event as it is sealed: every column, as it stands in the table. */
export interface SealableEvent {
  readonly id: bigint;
  readonly at: Date;
  readonly type: string;
  readonly ownerId: string | null;
  readonly keyId: string | null;
  readonly actorId: string | null;
  readonly reason: string | null;
  readonly count: number;
  readonly publicPart: string | null;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  /** JSON, as the very text that is stored. */
  readonly details: string | null;
}

/** The events of a range of ids: how many, and what only they and the key make. */
export interface EventsDigest {
  readonly eventCount: number;
  readonly eventsMac: Buffer;
}

/** A link of the chain: nothing in its range can change, come or go, nor can the links before it, without a trace. */
export interface AuditSeal extends EventsDigest {
  /** From 1, one by one. */
  readonly id: bigint;
  readonly fromEventId: bigint;
  readonly toEventId: bigint;
  readonly sealedAt: Date;
  readonly previousMac: Buffer;
  readonly mac: Buffer;
}

/** The keys of a chain, newest first: the first one makes seals, each of the others verifies those that it made. */
export type SealKeys = readonly KeyObject[];

/** What the first seal follows. */
const NO_MAC = Buffer.alloc(32);

/** Takes in events one by one, in the order of their ids, so that a range of any size needs no memory. */
export class EventsMac {
  private readonly hmac: Hmac;
  private eventCount = 0;

  constructor(key: KeyObject) {
    this.hmac = createHmac('sha256', key).update(line(['latchkey audit events 1']));
  }

  add(event: SealableEvent): void {
    const { id, at, type, ownerId, keyId, actorId, reason, count, publicPart, clientIp, userAgent, requestId } = event;
    const target = [ownerId, keyId, actorId, reason, count, publicPart];
    // Events that have none are spelled as they were before there were details, so that old seals go on verifying.
    const details = event.details === null ? [] : [event.details];
    this.hmac.update(line([String(id), at.valueOf(), type, ...target, clientIp, userAgent, requestId, ...details]));
    this.eventCount += 1;
  }

  digest(): EventsDigest {
    return { eventCount: this.eventCount, eventsMac: this.hmac.digest() };
  }
}

/** The next link after `previous`, over everything after its range up to `toEventId`. */
export function sealEvents(
  key: KeyObject,
  previous: AuditSeal | undefined,
  toEventId: bigint,
  digest: EventsDigest,
  now: Date,
): AuditSeal {
  const seal = { ...digest, ...placeAfter(previous), toEventId, sealedAt: now };
  return { ...seal, mac: sealMac(key, seal) };
}

/** What is wrong with a seal by itself and as the successor of `previous`, its events aside. */
export function sealProblem(keys: SealKeys, previous: AuditSeal | undefined, seal: AuditSeal): string | undefined {
  const place = placeAfter(previous);
  if (seal.id !== place.id) return `seal ${place.id} is missing`;
  const key = sealKeyOf(keys, seal);
  if (!key) return 'the seal itself was changed, or AUDIT_SEAL_KEY does not hold the key it was made with';
  const keyBefore = previous && sealKeyOf(keys, previous);
  // Else a leaked key that has been replaced could still seal what was made up since.
  if (keyBefore && keys.indexOf(key) > keys.indexOf(keyBefore))
    return 'the seal was made with an older key than the seal before it';
  const follows = seal.fromEventId === place.fromEventId && sameMac(seal.previousMac, place.previousMac);
  return follows ? undefined : `the seal does not follow seal ${place.id - 1n} as it stands`;
}

/** The key that made a seal. Undefined when it is none of these, or the seal was changed. */
export function sealKeyOf(keys: SealKeys, seal: AuditSeal): KeyObject | undefined {
  return keys.find((key) => sameMac(seal.mac, sealMac(key, seal)));
}

/** What is wrong with the newest seal as the end of the chain. After a rotation the newest key seals at once. */
export function endProblem(keys: SealKeys, newest: AuditSeal): string | undefined {
  if (sealKeyOf(keys, newest) === keys[0]) return undefined;
  return 'no seal was made with the newest key: no instance has run with it yet, or its seals were cut off';
}

/** What is wrong with the events of a seal. */
export function eventsProblem(seal: AuditSeal, found: EventsDigest): string | undefined {
  if (found.eventCount !== seal.eventCount)
    return `${seal.eventCount} events were sealed and ${found.eventCount} are there`;
  return sameMac(found.eventsMac, seal.eventsMac) ? undefined : 'an event is not what was sealed';
}

function placeAfter(previous: AuditSeal | undefined): Pick<AuditSeal, 'id' | 'fromEventId' | 'previousMac'> {
  if (!previous) return { id: 1n, fromEventId: 1n, previousMac: NO_MAC };
  return { id: previous.id + 1n, fromEventId: previous.toEventId + 1n, previousMac: previous.mac };
}

function sealMac(key: KeyObject, seal: Omit<AuditSeal, 'mac'>): Buffer {
  const { id, fromEventId, toEventId, eventCount, eventsMac, sealedAt, previousMac } = seal;
  const range = [String(id), String(fromEventId), String(toEventId), eventCount, eventsMac.toString('hex')];
  return macOf(key, ['latchkey audit seal 1', ...range, sealedAt.valueOf(), previousMac.toString('hex')]);
}

type Value = string | number | null;

/** HMAC-SHA-256 over a list of values. The first names what the list is, so that no MAC passes for another kind's. */
export function macOf(key: KeyObject, values: readonly Value[]): Buffer {
  return createHmac('sha256', key).update(line(values)).digest();
}

/** One spelling for each list of values and no other list's: JSON, in which a line break can't stand unescaped. */
function line(values: readonly Value[]): string {
  return `${JSON.stringify(values)}\n`;
}

export function sameMac(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
