import type { AuditEvent } from '#domain/audit/audit-event.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { DueNotice, NoticeCandidate } from '#domain/notices/due-notices.js';
import type { DueNoticeType, KeyNotice } from '#domain/notices/key-notice.js';
import type { KeyNetworks } from '#domain/usage/key-networks.js';
import type { UtcDay } from '#domain/time.js';
import type { KeyFilter, KeyPosition, OwnedKey } from './lists.js';

/** Saved in one transaction. */
export interface EndedKeys {
  readonly keys: readonly ApiKey[];
  readonly events: readonly { readonly ownerId: string; readonly event: AuditEvent }[];
  readonly notices: readonly KeyNotice[];
}

export type EndDecision = (open: readonly ApiKey[], now: Date) => EndedKeys;

export interface DueNoticesQuery {
  readonly type: DueNoticeType;
  /** After or before how many days notices of this type become due. */
  readonly days: readonly number[];
  readonly limit: number;
}

/**
 * Limits the transactions that record an end or a first use: at most one for each key in this instance, and few in all,
 * so that a locked row leaves connections to everything else.
 */
export interface RecordingGate {
  /**
   * Runs `record`, unless this instance is recording something of the key already. Then it waits for that and returns
   * undefined: the key has to be read again. Throws `unavailable` when the caller has waited too long. The transaction
   * keeps running then, and keeps its place until it ends. No transaction begins once all its callers have given up.
   * @param since when the caller began to wait, by performance.now()
   */
  pass<T>(keyId: string, since: number, record: () => Promise<T>): Promise<T | undefined>;
}

/** Chooses the notices that are written. They are saved, so that the same one is not sent again. */
export type NoticeDecision = (candidates: readonly NoticeCandidate[], now: Date) => readonly DueNotice[];

/**
 * Keys for which something may be due. The methods with `decide` lock such keys, pass them to it with the time, and save
 * what it returns in the same transaction. They return how many keys or notices they saved. Only active keys of active
 * owners get notices. With a `limit`, keys that another instance has locked are skipped until the next call.
 */
export interface DueKeys {
  /** The ids of the owner's keys whose end had come by `readAt` and is not recorded yet. */
  find(ownerId: string, readAt: Date): Promise<string[]>;
  /** One key, if it has no recorded end, whether its end has come or not. */
  end(keyId: string, decide: EndDecision): Promise<number>;
  /** Keys of all owners whose end by the clock has come, in the order in which they became due. */
  endOldest(limit: number, decide: EndDecision): Promise<number>;
  /** Keys that may need a notice of this type. */
  notify(query: DueNoticesQuery, decide: NoticeDecision): Promise<number>;
}

/** Selects owners of keys that may be idle, page by page. The decision is made on their locked accounts. */
export interface IdleKeys {
  /**
   * Active owners of keys that were neither made nor used in these days; an owner may come several times. Leaves out keys
   * whose owners were notified, and owners who were reactivated in these days.
   */
  unused(days: number): AsyncIterable<string>;
  /**
   * Owners with a notice for which something is to be done: the key is to end, or it was used or has ended, or its owner
   * is not active any more or was reactivated.
   */
  noticed(): AsyncIterable<string>;
}

/** The first known grant of a key from a network on that day. */
export interface NetworkUse {
  readonly keyId: string;
  readonly clientIp: string;
  readonly network: string;
  readonly day: UtcDay;
}

/** The usage of some keys, locked so that no other instance writes it. */
export interface NetworkUses {
  /** For each key, oldest first. */
  readonly uses: readonly NetworkUse[];
  /** For each of these keys. They are saved in the state in which `NotifyOfNetworks` leaves them. */
  readonly networks: ReadonlyMap<string, KeyNetworks>;
  findKeys(ids: readonly string[]): Promise<ApiKey[]>;
}

/** Decides of which new networks owners are notified. Runs in the transaction that saves the usage. */
export type NotifyOfNetworks = (used: NetworkUses) => Promise<readonly KeyNotice[]>;

export interface KeyList {
  readonly items: readonly OwnedKey[];
  readonly now: Date;
}

export interface KeyCounts {
  readonly activeKeys: number;
  readonly endedKeys: number;
}

export interface ApiKeys {
  /** A key of any owner, including purged owners. */
  find(id: string): Promise<ApiKey | undefined>;
  /** The existing keys of any owner, including purged owners. Their secrets are still to be proven. */
  findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]>;
  /** As lists show it. Excludes keys of purged accounts. @param ownerId undefined: any owner */
  findListed(id: string, ownerId?: string): Promise<OwnedKey | undefined>;
  /** Sorted as the filter says, starting after `after`. Excludes keys of purged accounts. */
  list(filter: KeyFilter, after: KeyPosition | undefined, limit: number): Promise<KeyList>;
  /** Adds a mark to what was handled of a key of the owner, without those before the last `HANDLED_KEPT`. */
  markHandled(id: string, ownerId: string, mark: string): Promise<void>;
  /** How many keys of the owner are active at this time, and how many have ended. Excludes keys of purged accounts. */
  count(ownerId: string, at: Date): Promise<KeyCounts>;
}
