import { randomUUID } from 'node:crypto';
import { LatchkeyError, Refusal } from '#domain/errors.js';
import { waitMs } from '#domain/keys/lease.js';
import type { UnansweredChange, Accounts, ChangeMeter, Instances } from './account-ports.js';
import { valueOf, withTransactions } from './with-transactions.js';

/** A monotonic clock. */
export interface WaitClock {
  nowMs(): number;
  /** Resolves when the clock shows `ms`, or a little later. */
  until(ms: number): Promise<void>;
}

const CLOCK: WaitClock = {
  nowMs: () => performance.now(),
  until: async (ms) => {
    for (let leftMs = ms - performance.now(); leftMs > 0; leftMs = ms - performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(leftMs)));
    }
  },
};

/** In milliseconds. An answer does not wait longer until its change counts as answered. */
const CLEAR_TIMEOUT_MS = 100;

/**
 * Answers a call about an account only once every lease from before its change has run out. The same holds for a call
 * that changes nothing and states what an unanswered change did, such as a refusal because the key has ended. A waiting
 * call holds neither a lock nor a connection.
 */
export class ChangeWaits {
  /** Also of calls whose callers have disconnected. */
  private readonly waiting = new Set<Promise<void>>();

  constructor(
    private readonly instances: Instances,
    private readonly meter: ChangeMeter = { waited: () => undefined },
    private readonly clock = CLOCK,
  ) {}

  /** Each transaction is a call of its own. */
  answered(accounts: Accounts): Accounts {
    return withTransactions(accounts, (id, work, others) =>
      this.once(accounts, (same) => same.transaction(id, work, others)),
    );
  }

  /** Waits once for all changes that `work` makes, in one transaction after the other. */
  async once<T>(accounts: Accounts, work: (accounts: Accounts) => Promise<T>): Promise<T> {
    const changes = new Map<string, string>();
    const noting = marking(accounts, (id, changeId) => changes.set(id, changeId));
    const [outcome] = await Promise.allSettled([work(noting)]);
    await this.wait([...changes].map(([ownerId, changeId]) => ({ ownerId, changeId })));
    return valueOf(outcome);
  }

  /** Resolves when no call waits any more. */
  async close(): Promise<void> {
    await Promise.all(this.waiting);
  }

  /** Call it as soon as the end of the transaction is acknowledged. Never rejects. */
  private async wait(changes: readonly UnansweredChange[]): Promise<void> {
    if (changes.length === 0) return;
    const finished = this.finish(changes, this.clock.nowMs());
    this.waiting.add(finished);
    await finished;
    this.waiting.delete(finished);
  }

  private async finish(changes: readonly UnansweredChange[], endedAtMs: number): Promise<void> {
    const longestMs = await this.instances.longestLeaseMs().catch(() => undefined);
    const ms = waitMs(longestMs);
    if (ms === 0) return;
    await this.clock.until(endedAtMs + ms);
    this.meter.waited(this.clock.nowMs() - endedAtMs);
    // A change that stays unanswered makes the next call about its account wait once more.
    const cleared = this.instances.clear(changes).catch(() => undefined);
    await Promise.race([cleared, this.clock.until(this.clock.nowMs() + CLEAR_TIMEOUT_MS)]);
  }
}

/** For jobs and reported leaks, which answer nobody: the next call about the account waits for the change. */
export function accountsForJobs(accounts: Accounts): Accounts {
  return marking(accounts, () => undefined);
}

/** @param note is called with each change that is, or was, unanswered after a transaction whose end is known */
function marking(accounts: Accounts, note: (ownerId: string, changeId: string) => void): Accounts {
  return withTransactions(accounts, async (id, work, others) => {
    let changeId: string | undefined;
    const markingWork: typeof work = async (transaction) => {
      const [outcome] = await Promise.allSettled([work(transaction)]);
      const isCommitted = outcome.status === 'fulfilled' || outcome.reason instanceof Refusal;
      changeId = transaction.unanswered;
      if (isCommitted && transaction.endsLeases) {
        changeId = randomUUID();
        await transaction.leaveUnanswered(changeId);
      }
      return valueOf(outcome);
    };
    const [outcome] = await Promise.allSettled([accounts.transaction(id, markingWork, others)]);
    if (changeId !== undefined && isStatement(outcome)) note(id, changeId);
    return valueOf(outcome);
  });
}

/** Otherwise nobody knows whether it was committed, and the answer says nothing about the account. */
function isStatement(outcome: PromiseSettledResult<unknown>): boolean {
  if (outcome.status === 'fulfilled') return true;
  return outcome.reason instanceof LatchkeyError && outcome.reason.code !== 'unavailable';
}
