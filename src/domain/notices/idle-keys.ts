import type { Account } from '../accounts/account.js';
import type { ApiKey } from '../keys/api-key.js';
import { DAY_MS, MINUTE_MS } from '../time.js';
import type { NoticeReceivers } from './key-notice.js';

/** What REVOKE_IDLE_AFTER_DAYS may be. Use of a key is written within a minute, and people have holidays. */
export const IDLE_DAYS = { least: 14, most: 365 } as const;

/** So long after its notice was written does a key end. */
export const NOTICE_MS = 7 * DAY_MS;
/**
 * Two checks find the key idle before it ends. By the second one, every use before the first is written. Between the two
 * each use is written before it is answered.
 */
export const CHECKS_APART_MS = 10 * MINUTE_MS;
/** If the service did not run for so long when a key was to end, its owner could not use it, and is notified again. */
const LATE_MS = DAY_MS;

/** Stored from the notice until the key ends or is used. */
export interface IdleNotice {
  readonly writtenAt: Date;
  /** When the first of the two checks found the key idle. */
  readonly foundIdleAt: Date | null;
}

export interface KeyUse {
  readonly key: ApiKey;
  /** As far as it is written. */
  readonly lastUsedAt: Date | undefined;
}

/** The account and the keys of one owner, locked. */
export interface OwnerUse {
  readonly owner: Account;
  readonly keys: readonly KeyUse[];
  /** By the id of the key that they are about, which may have ended in the meantime. */
  readonly notices: ReadonlyMap<string, IdleNotice>;
}

export interface IdleRule {
  readonly afterDays: number;
  /** Whether a notice reaches anyone: see `hasReceiver`. */
  readonly hasReceiver: boolean;
}

/** The key is the newer one of a rotating pair, which counts as one key: the old key ends with it. */
export type IdleStep =
  | { readonly step: 'notify'; readonly key: ApiKey; readonly replaced: ApiKey | undefined; readonly endsAt: Date }
  | { readonly step: 'found-idle'; readonly keyId: string; readonly notice: IdleNotice }
  | { readonly step: 'end'; readonly keyId: string; readonly ending: readonly ApiKey[] }
  | { readonly step: 'withdraw'; readonly keyId: string };

export function idleEndsAt({ writtenAt }: Pick<IdleNotice, 'writtenAt'>): Date {
  return new Date(writtenAt.getTime() + NOTICE_MS);
}

/** When the key ends unless it is used. Null for a key that was used since its notice, or has ended. */
export function shownIdleEnd(
  { key, lastUsedAt, noticeAt }: { key: ApiKey; lastUsedAt: Date | null; noticeAt: Date | null },
  now: Date,
): Date | null {
  if (!noticeAt || (lastUsedAt && lastUsedAt >= noticeAt) || key.status(now) !== 'active') return null;
  return idleEndsAt({ writtenAt: noticeAt });
}

/** Whether a notice about the owner's keys reaches anyone. @param named the persons who are named as managers */
export function hasReceiver(receivers: NoticeReceivers, owner: Account, named: readonly Account[]): boolean {
  const managers = named.filter((person) => owner.isManagedBy(person));
  return receivers.webhook || (receivers.mail && [owner, ...managers].some(({ email }) => email !== ''));
}

export function idleSteps({ owner, keys, notices }: OwnerUse, rule: IdleRule, now: Date): IdleStep[] {
  const active = keys.filter(({ key }) => key.status(now) === 'active');
  const pairs = pairsOf(active);
  const known = new Set(pairs.map(([{ key }]) => key.id));
  const ended = [...notices.keys()].filter((keyId) => !known.has(keyId));
  return [
    ...ended.map((keyId) => ({ step: 'withdraw', keyId }) as const),
    ...pairs.flatMap((pair) => {
      const isIdle = owner.isActive && idleSince(owner, pair) <= now.getTime() - rule.afterDays * DAY_MS;
      const notice = notices.get(pair[0].key.id);
      return notice ? noticed(pair, { notice, isIdle, ...rule }, now) : unnoticed(pair, { isIdle, ...rule }, now);
    }),
  ];
}

type Pair = readonly [newest: KeyUse, replaced: KeyUse | undefined];

function pairsOf(active: readonly KeyUse[]): Pair[] {
  const byId = new Map(active.map((each) => [each.key.id, each]));
  const replacedBy = ({ key }: KeyUse) => (key.replaces === null ? undefined : byId.get(key.replaces));
  const old = new Set(active.map(replacedBy));
  return active.filter((each) => !old.has(each)).map((each) => [each, replacedBy(each)]);
}

function idleSince(owner: Account, pair: Pair): number {
  const { activeSince } = owner.snapshot();
  const times = pair.flatMap((each) => (each ? [each.key.snapshot().createdAt, each.lastUsedAt] : []));
  return Math.max(...[activeSince, ...times].map((time) => time?.getTime() ?? 0));
}

function unnoticed(
  [{ key }, replaced]: Pair,
  { isIdle, hasReceiver: isHeard }: IdleRule & { isIdle: boolean },
  now: Date,
): IdleStep[] {
  const endsAt = idleEndsAt({ writtenAt: now });
  const { expiresAt, endsAt: endsByClockAt } = key.snapshot();
  const endsSooner = (endsByClockAt ?? expiresAt) <= endsAt;
  return isIdle && isHeard && !endsSooner ? [{ step: 'notify', key, replaced: replaced?.key, endsAt }] : [];
}

function noticed(
  [{ key }, replaced]: Pair,
  { notice, isIdle, hasReceiver: isHeard }: IdleRule & { isIdle: boolean; notice: IdleNotice },
  now: Date,
): IdleStep[] {
  const lateMs = now.getTime() - idleEndsAt(notice).getTime();
  if (!isIdle || !isHeard || lateMs >= LATE_MS) return [{ step: 'withdraw', keyId: key.id }];
  if (lateMs < 0) return [];
  const { foundIdleAt } = notice;
  if (!foundIdleAt) return [{ step: 'found-idle', keyId: key.id, notice: { ...notice, foundIdleAt: now } }];
  const isSecondCheck = now.getTime() - foundIdleAt.getTime() >= CHECKS_APART_MS;
  return isSecondCheck ? [{ step: 'end', keyId: key.id, ending: [...(replaced ? [replaced.key] : []), key] }] : [];
}
