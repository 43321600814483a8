/** Ports for what becomes due with time. See ports.ts. */
import type { AuditEvent } from '../domain/audit/audit-event.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { KeyNotice } from '../domain/notices/key-notice.js';
import type { KeyNetworks } from '../domain/usage/key-networks.js';
import type { UtcDay } from '../domain/usage/utc-day.js';

/** One key, or all keys of one owner. */
export type DueScope = { readonly keyId: string } | { readonly ownerId: string };

/** Saved in one transaction. */
export interface EndedKeys {
  readonly keys: readonly ApiKey[];
  readonly events: readonly { readonly ownerId: string; readonly event: AuditEvent }[];
  readonly notices: readonly KeyNotice[];
}

/** @param due keys without a recorded end */
export type EndDecision = (due: readonly ApiKey[], now: Date) => EndedKeys;

/** Selects keys that have more than `day - 1` and at most `day` days left and may need a notice. */
export interface ExpiryWindow {
  readonly day: number;
  /** The smallest notice period that these keys have reached, in days. */
  readonly noticeDays: number;
  readonly limit: number;
}

export interface ExpiringKey {
  readonly key: ApiKey;
  /** The smallest number of days before its expiry of which the owner was already notified. */
  readonly notifiedDays: number | undefined;
}

/** A notice of a coming expiry. The days are saved, so that the same notice is not sent again. */
export interface ExpiryNotice {
  readonly notice: KeyNotice;
  readonly notifiedDays: number;
}

/** A successor that nobody has used, and the old key. */
export interface UnusedSuccessor {
  readonly successor: ApiKey;
  readonly replaced: ApiKey;
  readonly isNotified: boolean;
}

/**
 * Keys for which something may be due. Each method locks such keys, passes them to `decide` with the time, and saves
 * what `decide` returns in the same transaction. It returns how many keys or notices it saved. Only active keys of
 * active owners get notices. With a `limit`, keys that another instance has locked are skipped until the next call.
 */
export interface DueKeys {
  /** Keys whose end by the clock has come and is not recorded yet. */
  end(scope: DueScope, decide: EndDecision): Promise<number>;
  /** The same for the keys of all owners, in the order in which they became due. */
  endOldest(limit: number, decide: EndDecision): Promise<number>;
  notifyOfExpiry(
    window: ExpiryWindow,
    decide: (due: readonly ExpiringKey[], now: Date) => readonly ExpiryNotice[],
  ): Promise<number>;
  /** @param decide returns notices, which are remembered so that a key gets no second one */
  notifyOfUnusedRotation(
    limit: number,
    decide: (due: readonly UnusedSuccessor[], now: Date) => readonly KeyNotice[],
  ): Promise<number>;
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
