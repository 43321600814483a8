import type { ApiKey } from '../api/types.js';
import { DAY_MS, endOf, endsSoon, pauseOf, rejectedSince, type Rotation, rotationOf, statusAt } from '../key/status.js';

/** How long a key that ended stays on the list of what needs attention. */
const REMEMBERED_MS = 30 * DAY_MS;
/** Whatever used a key so shortly before its end probably still needs one. */
const IN_USE_MS = 7 * DAY_MS;

/** Something that the owner should do about a key. */
export type Concern =
  | {
      readonly kind: 'leaked' | 'expired' | 'idle';
      readonly key: ApiKey;
      readonly at: string;
      readonly rejected: number;
    }
  /** Its owner ended it as leaked, and may not know what it did before. */
  | { readonly kind: 'check'; readonly key: ApiKey; readonly at: string }
  | { readonly kind: 'expiring'; readonly key: ApiKey; readonly at: string }
  /** Somebody who is no manager any more made it, and knows the key string. */
  | { readonly kind: 'seen'; readonly key: ApiKey; readonly at: string }
  /** It may write, and was used for nothing but permissions to read. */
  | { readonly kind: 'reading'; readonly key: ApiKey; readonly at: string }
  /** It ends unless it is used. */
  | { readonly kind: 'idling'; readonly key: ApiKey; readonly at: string; readonly rotation: Rotation | undefined }
  /** The new key of a rotation has not been used. `key` is the old one. */
  | { readonly kind: 'unused'; readonly key: ApiKey; readonly at: string; readonly rotation: Rotation };

/** Nothing breaks if nobody does anything about it. */
export const isCalm = ({ kind }: Concern): boolean => kind === 'idling' || kind === 'check';

/** What needs doing, most urgent first. */
export function attention(keys: readonly ApiKey[], now: number): readonly Concern[] {
  const concerns = keys.map((key) => concernOf(key, keys, now)).filter((concern) => concern !== undefined);
  const open = concerns.filter((concern) => !concern.key.handled?.includes(markOf(concern, now)));
  return open.toSorted((one, other) => urgency(one) - urgency(other) || distance(one, now) - distance(other, now));
}

/** Stored once somebody has handled it. When the same happens on a later day, the mark is another. */
export function markOf(concern: Concern, now: number): string {
  const { kind, key, at } = concern;
  const { refused } = key.recent;
  const daysAgo = refused.length - 1 - refused.findLastIndex((count) => count > 0);
  const isRejected = 'rejected' in concern && concern.rejected > 0;
  const last = isRejected
    ? new Date(now - daysAgo * DAY_MS).toISOString()
    : kind === 'unused'
      ? concern.rotation.next.createdAt
      : at;
  return `${kind} ${last.slice(0, 10)}`;
}

function concernOf(key: ApiKey, keys: readonly ApiKey[], now: number): Concern | undefined {
  return statusAt(key, now) === 'active' ? concernOfActive(key, keys, now) : concernOfEnded(key, keys, now);
}

function concernOfActive(key: ApiKey, keys: readonly ApiKey[], now: number): Concern | undefined {
  const rotation = rotationOf(key, keys, now);
  const seen = { kind: 'seen', key, at: key.createdAt } as const;
  const isSeen = key.createdBy?.isFormerManager && rotation?.old.id !== key.id;
  if (isSeen && !key.handled?.includes(markOf(seen, now))) return seen;
  if (key.idleEndsAt) {
    const isShown = rotation?.old.id !== key.id;
    return isShown ? { kind: 'idling', key, at: key.idleEndsAt, rotation } : undefined;
  }
  if (!endsSoon(key, now)) {
    const isFree = !rotation && !pauseOf(key, now);
    return key.couldNarrow === 'reading' && isFree ? { kind: 'reading', key, at: key.createdAt } : undefined;
  }
  const at = endOf(key);
  if (!rotation) return { kind: 'expiring', key, at };
  const isWaiting = rotation.old.id === key.id && rotation.next.lastUsedAt === null;
  return isWaiting ? { kind: 'unused', key, at, rotation } : undefined;
}

function concernOfEnded(key: ApiKey, keys: readonly ApiKey[], now: number): Concern | undefined {
  const kind = causeOf(key, now);
  if (!kind) return undefined;
  const at = kind === 'expired' ? key.expiresAt : (key.revokedAt ?? key.expiresAt);
  if (now - Date.parse(at) > REMEMBERED_MS) return undefined;
  if (kind === 'check') return key.lastUsedAt === null ? undefined : { kind, key, at };
  if (isReplaced(key, keys, now)) return undefined;
  const { count: rejected } = rejectedSince(key.recent.refused, at, now);
  const wasInUse = key.lastUsedAt !== null && Date.parse(at) - Date.parse(key.lastUsedAt) <= IN_USE_MS;
  return kind === 'leaked' || rejected > 0 || wasInUse ? { kind, key, at, rejected } : undefined;
}

/** Undefined for an end that a person decided on. */
function causeOf(key: ApiKey, now: number): 'leaked' | 'check' | 'expired' | 'idle' | undefined {
  if (statusAt(key, now) === 'expired') return 'expired';
  const { revokedReason } = key;
  if (revokedReason === 'leaked') return key.leak ? 'leaked' : 'check';
  return revokedReason === 'idle' ? 'idle' : undefined;
}

/**
 * Another key took its place: a successor, or one that was made later with the same name. It is active, or its owner
 * ended it as leaked and wanted no other one: there is no `leak`, which a report by somebody else has.
 */
function isReplaced(key: ApiKey, keys: readonly ApiKey[], now: number): boolean {
  const isInPlace = (other: ApiKey) =>
    statusAt(other, now) === 'active' || (other.revokedReason === 'leaked' && !other.leak);
  const successor = keys.find(({ id }) => id === key.replacedBy);
  if (successor && (isInPlace(successor) || isReplaced(successor, keys, now))) return true;
  const isLater = (other: ApiKey) => other.name === key.name && other.createdAt > key.createdAt;
  return keys.some((other) => isLater(other) && isInPlace(other));
}

/** A leak first, then what is broken, then what will be, and last what could be better. */
function urgency(concern: Concern): number {
  if (concern.kind === 'leaked') return 0;
  if (concern.kind === 'reading') return 4;
  if (!('rejected' in concern)) return 2;
  return concern.rejected > 0 ? 1 : 3;
}

function distance({ at }: Concern, now: number): number {
  return Math.abs(Date.parse(at) - now);
}
