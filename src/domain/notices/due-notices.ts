import type { ApiKey } from '../keys/api-key.js';
import type { ApiKeyState } from '../keys/key-state.js';
import { DAY_MS } from '../time.js';
import type { DueNoticeType, KeyNotice } from './key-notice.js';

export interface NoticeCandidate {
  readonly key: ApiKey;
  readonly replaced: ApiKey | undefined;
  /** The days of the last notice of this type; undefined when there was none. */
  readonly sentDays: number | undefined;
}

export interface DueNotice {
  readonly notice: KeyNotice;
  /** Which of the type's days the notice is about. They are saved, so that it is not sent again. */
  readonly days: number;
}

/** If nobody has used the new key after this time, the rotation was probably forgotten. */
const ROTATION_UNUSED_DAYS = 7;

/** After or before how many whole days notices of this type become due. None: it is off. */
export function noticeDays(type: DueNoticeType, expiryNoticeDays: readonly number[]): readonly number[] {
  return type === 'api_key.expiring' ? expiryNoticeDays : [ROTATION_UNUSED_DAYS];
}

/** The notice of this type that is due for the key at this time, if any. */
export function dueNotice(
  type: DueNoticeType,
  { key, replaced, sentDays }: NoticeCandidate,
  after: readonly number[],
  now: Date,
): DueNotice | undefined {
  if (type === 'api_key.expiring') {
    const days = dueExpiryNotice(key.snapshot(), after, sentDays, now);
    return days === undefined ? undefined : { notice: { type, key }, days };
  }
  const [days = Infinity] = after;
  if (sentDays !== undefined || !replaced || !isRotationUnused(key, replaced, days, now)) return undefined;
  return { notice: { type, key, replacesKeyId: replaced.id }, days };
}

/** The fewest of `days` that the key has reached, unless as few were sent, or they exceed half of its lifetime. */
export function dueExpiryNotice(
  { createdAt, expiresAt, endsAt }: Pick<ApiKeyState, 'createdAt' | 'expiresAt' | 'endsAt'>,
  days: readonly number[],
  sentDays: number | undefined,
  now: Date,
): number | undefined {
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0 || endsAt) return undefined;
  const reached = days.filter((each) => leftMs <= each * DAY_MS);
  const fewest = Math.min(...reached);
  const isSent = sentDays !== undefined && sentDays <= fewest;
  const lifetimeMs = expiresAt.getTime() - createdAt.getTime();
  return reached.length === 0 || isSent || 2 * fewest * DAY_MS > lifetimeMs ? undefined : fewest;
}

/** Whether to notify the owner that nobody uses the new key. Not after either key has ended. */
function isRotationUnused(successor: ApiKey, replaced: ApiKey, days: number, now: Date): boolean {
  const { replaces, firstUsedAt, createdAt } = successor.snapshot();
  const isPending = replaces === replaced.id && !firstUsedAt;
  const areActive = [successor, replaced].every((key) => key.status(now) === 'active');
  return isPending && areActive && now.getTime() - createdAt.getTime() >= days * DAY_MS;
}
