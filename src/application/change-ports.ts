/** Ports of changes that wait until no lease from before them can be used any more. See ports.ts. */
import type { Giver } from '../domain/leases/change-wait.js';
import type { Recall } from '../domain/leases/giving.js';

/** What a transaction found of leases after it had locked the account, in one snapshot. */
export interface LeasesFound {
  /** The WAL timeline of the server. */
  readonly timeline: number;
  /** The timeline whose registrations are complete. Undefined: no lease was ever given. */
  readonly completeTimeline: number | undefined;
  /** Whether any process may have given leases. */
  readonly hasGivers: boolean;
  /** The changes of this owner whose calls are not answered yet. */
  readonly pending: readonly string[];
}

export interface PendingChanges {
  /**
   * Reads all processes that may have given leases, and notifies them, in one statement.
   * @param timeline of the server that committed. Throws `unavailable` on another one
   */
  recall(recall: Recall, timeline: number): Promise<readonly Giver[]>;
  /**
   * Their calls are answered after this.
   * @param completeTimeline on which no registration is missing from now on. Undefined: it stays as it is
   */
  end(changeIds: readonly string[], completeTimeline: number | undefined): Promise<void>;
}

/** What the notified processes answer. It may be lost: then a change waits until the leases end by themselves. */
export interface Acknowledgements {
  onAcknowledged(listener: (giverId: string, notificationId: string) => void): void;
  /** Hears acknowledgements while `work` runs, if they can be heard at all. */
  listenFor<T>(work: () => Promise<T>): Promise<T>;
}

export interface ChangeMeter {
  /** @param silent the processes that had not acknowledged when their leases ended by themselves */
  waited(ms: number, silent: readonly string[]): void;
}
