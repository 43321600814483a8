import { createHmac, type Hmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** An event as it is sealed: every column as stored. */
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
  /** The JSON text exactly as stored. */
  readonly details: string | null;
}

/** A digest of the events in a range of ids: their number, and a MAC that only the key can make. */
export interface EventsDigest {
  readonly eventCount: number;
  readonly eventsMac: Buffer;
}

/** A link of the chain. Any change, addition or deletion in its range, or in an earlier seal, is detected. */
export interface AuditSeal extends EventsDigest {
  /** 1, 2, 3, … without gaps. */
  readonly id: bigint;
  readonly fromEventId: bigint;
  readonly toEventId: bigint;
  readonly sealedAt: Date;
  readonly previousMac: Buffer;
  readonly mac: Buffer;
}

/** The keys of a chain, newest first. The first one makes seals; the others only verify the seals that they made. */
export type SealKeys = readonly KeyObject[];

/** What the first seal has in place of the MAC of a previous seal. */
const NO_MAC = Buffer.alloc(32);

/** Takes events one at a time, in the order of their ids, so that it needs little memory for any range. */
export class EventsMac {
  private readonly hmac: Hmac;
  private eventCount = 0;

  constructor(key: KeyObject) {
    this.hmac = createHmac('sha256', key).update(line(['latchkey audit events 1']));
  }

  add(event: SealableEvent): void {
    const { id, at, type, ownerId, keyId, actorId, reason, count, publicPart, clientIp, userAgent, requestId } = event;
    const target = [ownerId, keyId, actorId, reason, count, publicPart];
    // Events without details leave the value out, as before details were introduced, so that old seals still verify.
    const details = event.details === null ? [] : [event.details];
    this.hmac.update(line([String(id), at.valueOf(), type, ...target, clientIp, userAgent, requestId, ...details]));
    this.eventCount += 1;
  }

  digest(): EventsDigest {
    return { eventCount: this.eventCount, eventsMac: this.hmac.digest() };
  }
}

/** The next seal after `previous`. It covers all events after the range of `previous`, up to `toEventId`. */
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

/** What is wrong with a seal and its place after `previous`; undefined when nothing is. Does not check its events. */
export function sealProblem(keys: SealKeys, previous: AuditSeal | undefined, seal: AuditSeal): string | undefined {
  const place = placeAfter(previous);
  if (seal.id !== place.id) return `seal ${place.id} is missing`;
  const key = sealKeyOf(keys, seal);
  if (!key) return 'the seal itself was changed, or AUDIT_SEAL_KEY does not hold the key it was made with';
  const keyBefore = previous && sealKeyOf(keys, previous);
  // Otherwise somebody who has a leaked, replaced key could still seal made-up events.
  if (keyBefore && keys.indexOf(key) > keys.indexOf(keyBefore))
    return 'the seal was made with an older key than the seal before it';
  const follows = seal.fromEventId === place.fromEventId && sameMac(seal.previousMac, place.previousMac);
  return follows ? undefined : `the seal does not continue from seal ${place.id - 1n}`;
}

/** The key that made a seal. Undefined when no key of these did, or when the seal was changed. */
export function sealKeyOf(keys: SealKeys, seal: AuditSeal): KeyObject | undefined {
  return keys.find((key) => sameMac(seal.mac, sealMac(key, seal)));
}

/** A new key makes a seal as soon as it is in use, so the newest seal must be by the newest key. */
export function endProblem(keys: SealKeys, newest: AuditSeal): string | undefined {
  if (sealKeyOf(keys, newest) === keys[0]) return undefined;
  return 'no seal was made with the newest key: no instance has run with it yet, or its seals were cut off';
}

export function eventsProblem(seal: AuditSeal, found: EventsDigest): string | undefined {
  if (found.eventCount !== seal.eventCount)
    return `the number of events is ${found.eventCount} instead of ${seal.eventCount}`;
  return sameMac(found.eventsMac, seal.eventsMac) ? undefined : 'the events differ from the sealed ones';
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

/** HMAC-SHA-256. The first value names the kind of list, so that a MAC of one kind never verifies as another. */
function macOf(key: KeyObject, values: readonly Value[]): Buffer {
  return createHmac('sha256', key).update(line(values)).digest();
}

/** Different lists give different texts: JSON escapes line breaks, and a line break ends it. */
function line(values: readonly Value[]): string {
  return `${JSON.stringify(values)}\n`;
}

function sameMac(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

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
