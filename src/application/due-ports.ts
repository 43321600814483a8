/** What becomes due because time has passed: see ports.ts. */
import type { AuditEvent } from '../domain/audit/audit-event.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { KeyNotice } from '../domain/notices/key-notice.js';
import type { KeyNetworks } from '../domain/usage/key-networks.js';
import type { UtcDay } from '../domain/usage/utc-day.js';

/** One key, or the keys of one owner. */
export type DueScope = { readonly keyId: string } | { readonly ownerId: string };

/** What is saved together. */
export interface EndedKeys {
  readonly keys: readonly ApiKey[];
  readonly events: readonly { readonly ownerId: string; readonly event: AuditEvent }[];
  readonly notices: readonly KeyNotice[];
}

/** @param due keys that are not known to have ended */
export type EndDecision = (due: readonly ApiKey[], now: Date) => EndedKeys;

/** Keys that have more than `day - 1` and at most `day` days left, and for which a notice may be due. */
export interface ExpiryWindow {
  readonly day: number;
  /** The fewest days of a notice that these keys have reached. */
  readonly noticeDays: number;
  readonly limit: number;
}

export interface ExpiringKey {
  readonly key: ApiKey;
  /** The fewest days before its expiry of which its owner was notified. */
  readonly notifiedDays: number | undefined;
}

/** A notice of a coming expiry. The days are kept, so that no notice of as many days follows. */
export interface ExpiryNotice {
  readonly notice: KeyNotice;
  readonly notifiedDays: number;
}

/** A key that nobody has used, with the key that it is to replace. */
export interface UnusedSuccessor {
  readonly successor: ApiKey;
  readonly replaced: ApiKey;
  readonly isNotified: boolean;
}

/**
 * Keys for which something may be due. Each method locks such keys, hands them to `decide` with the time, and saves what
 * `decide` returns in the same transaction. Each answers how many keys or notices that is. Notices are for active keys of active
 * owners. Where there is a limit, keys that another instance has locked are left for the next time.
 */
export interface DueKeys {
  /** Keys whose end by the clock has come and is not saved yet. */
  end(scope: DueScope, decide: EndDecision): Promise<number>;
  /** The same of any keys, of which those that were due first come first. */
  endOldest(limit: number, decide: EndDecision): Promise<number>;
  notifyOfExpiry(
    window: ExpiryWindow,
    decide: (due: readonly ExpiringKey[], now: Date) => readonly ExpiryNotice[],
  ): Promise<number>;
  /** @param decide its notices are kept, so that none follows on the same key */
  notifyOfUnusedRotation(
    limit: number,
    decide: (due: readonly UnusedSuccessor[], now: Date) => readonly KeyNotice[],
  ): Promise<number>;
}

/** A grant from a network from which the key is not known to have been granted on that day. */
export interface NetworkUse {
  readonly keyId: string;
  readonly clientIp: string;
  readonly network: string;
  readonly day: UtcDay;
}

/** What keys did, while no other instance writes what they did. */
export interface NetworkUses {
  /** Of each key the oldest first. */
  readonly uses: readonly NetworkUse[];
  /** Of each of these keys. They are saved as they are afterwards. */
  readonly networks: ReadonlyMap<string, KeyNetworks>;
  findKeys(ids: readonly string[]): Promise<ApiKey[]>;
}

/** Decides, in the transaction that saves the uses, of which new networks the owners are notified. */
export type NotifyOfNetworks = (used: NetworkUses) => Promise<readonly KeyNotice[]>;
