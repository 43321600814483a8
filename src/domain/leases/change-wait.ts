import { withMargin } from './lease-length.js';

/** What a call found in its transaction, after it had taken the lock of the account. */
export interface Locked {
  /** Whether the call changes anything. */
  readonly isChange: boolean;
  /** Whether `lease_timeline` has its row. Without one, no lease was ever given. */
  readonly hasTimeline: boolean;
  /** The rows of `pending_changes` of this owner. */
  readonly pending: readonly string[];
}

/** A process that may have given leases. */
export interface Giver {
  readonly id: string;
  readonly leaseMs: number;
}

export type Step =
  /** One statement, on the server that committed, reads all registrations and notifies with a new id. */
  | { readonly next: 'read-registrations' }
  | { readonly next: 'wait'; readonly untilMs: number }
  /** Deletes these rows of `pending_changes`, and then answers the call. */
  | { readonly next: 'answer'; readonly deletedRows: readonly string[] };

/**
 * One call about keys or an account, from its lock to its answer. A call that changes nothing states what it found, so
 * it waits for a change of the same owner that still waits. Every time is read from the process's monotonic clock.
 */
export class ChangeWait {
  private committedAtMs = 0;
  private answersFromMs = 0;
  private notificationId: string | undefined;
  private endsAtMs: number | undefined;
  private readonly silent = new Set<string>();

  /** @param changeId of the row that the call may insert */
  constructor(
    private readonly changeId: string,
    private readonly locked: Locked,
  ) {}

  /** Whether the transaction inserts its row into `pending_changes`. */
  get insertsRow(): boolean {
    return this.locked.isChange && this.locked.hasTimeline;
  }

  /** Whether there may be anything to wait for. */
  get mayWait(): boolean {
    return this.locked.isChange || this.locked.pending.length > 0;
  }

  /** Those that have not acknowledged. */
  get silentGivers(): readonly string[] {
    return [...this.silent];
  }

  /**
   * The commit was acknowledged.
   * @param answersFromMs see `TimelineWatch`
   */
  committed(nowMs: number, answersFromMs = 0): void {
    this.committedAtMs = nowMs;
    this.answersFromMs = answersFromMs;
  }

  /** @param givers all that the statement read, fenced ones too */
  read(givers: readonly Giver[], notificationId: string): void {
    this.notificationId = notificationId;
    for (const { id } of givers) this.silent.add(id);
    const longestMs = Math.max(0, ...givers.map(({ leaseMs }) => leaseMs));
    this.endsAtMs = this.committedAtMs + withMargin(longestMs);
  }

  acknowledge(giverId: string, notificationId: string): void {
    if (notificationId === this.notificationId) this.silent.delete(giverId);
  }

  step(nowMs: number): Step {
    if (this.mayWait && this.endsAtMs === undefined) return { next: 'read-registrations' };
    const leasesEndMs = this.silent.size === 0 ? 0 : this.endsAtMs!;
    const untilMs = Math.max(leasesEndMs, this.answersFromMs);
    if (nowMs < untilMs) return { next: 'wait', untilMs };
    return { next: 'answer', deletedRows: [...this.locked.pending, ...(this.insertsRow ? [this.changeId] : [])] };
  }
}
