import { THE_SERVICE, type Client } from '#domain/audit/audit-event.js';
import { changeAtEnd } from '#domain/keys/key-change.js';
import { noticesOfChange } from '#domain/notices/key-notice.js';
import { later } from '#domain/time.js';
import type { AccountLocks, FirstUses } from '../account-ports.js';
import type { DueKeys, EndDecision, RecordingGate } from '../key-ports.js';
import { eventOf, changeKeys } from './change-keys.js';
import type { KeyStanding } from '#domain/keys/key-standing.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import type { Question, Verdict } from '#domain/keys/verdict.js';

/** Records ends by the clock. Each end gets one event, however many callers observe it. */
export class RecordDueEnds {
  constructor(
    private readonly dueKeys: DueKeys,
    private readonly gate: RecordingGate,
  ) {}

  /**
   * Returns false when the key has to be read again: it has changed, or another caller was recording something of it.
   * @param readAt when the end was observed: if the clock was set back since then, it is recorded as of that time
   * @param since see RecordingGate
   */
  async ofKey(keyId: string, readAt: Date, since = performance.now()): Promise<boolean> {
    const decide: EndDecision = (open, now) => endDueKeys(open, later(now, readAt));
    return (await this.gate.pass(keyId, since, () => this.dueKeys.end(keyId, decide))) === 1;
  }

  /** Returns whether any end was due. @param readAt when the keys were read */
  async ofOwner(ownerId: string, readAt: Date, since = performance.now()): Promise<boolean> {
    const due = await this.dueKeys.find(ownerId, readAt);
    const recorded = await Promise.all(due.map((keyId) => this.ofKey(keyId, readAt, since)));
    if (recorded.includes(false)) await this.ofOwner(ownerId, readAt, since);
    return due.length > 0;
  }

  /** Several instances may do so at once. Returns how many ends this one recorded. */
  ofAll(): Promise<number> {
    return inBatches((limit) => this.dueKeys.endOldest(limit, endDueKeys));
  }
}

export const endDueKeys: EndDecision = (open, now) => {
  const changes = open.flatMap((key) => {
    const status = key.endIfDue(now);
    return status ? [changeAtEnd(key, status)] : [];
  });
  return {
    keys: changes.map(({ key }) => key),
    events: changes.map((change) => ({ ownerId: change.key.ownerId, event: eventOf(change, THE_SERVICE)! })),
    notices: changes.flatMap((change) => noticesOfChange(change, null)),
  };
};

const BATCH = 500;

/** Repeats the work until a batch is not full. @param work returns how many items it did, at most `limit` */
export async function inBatches(work: (limit: number) => Promise<number>): Promise<number> {
  let done = 0;
  for (let batch = BATCH; batch === BATCH; done += batch) batch = await work(BATCH);
  return done;
}

export interface FirstUse {
  readonly standing: KeyStanding;
  /** When the standing was read. If the clock was set back since then, the use is recorded as of that time. */
  readonly readAt: Date;
  readonly question: Question;
  readonly isAdmitted: boolean;
  readonly client: Client;
  readonly since: number;
}

/** The first use of a successor, which sets the end of the old key, and a use of a key that was found idle once. */
export class RecordFirstUse {
  constructor(
    private readonly accounts: AccountLocks<FirstUses>,
    private readonly gate: RecordingGate,
  ) {}

  /** The grant, after the use has committed. Undefined when something has changed: the key must be read again. */
  execute(use: FirstUse): Promise<Verdict | undefined> {
    return this.gate.pass(use.standing.id, use.since, () => this.record(use));
  }

  private record({ standing, readAt, question, isAdmitted, client }: FirstUse): Promise<Verdict | undefined> {
    return this.accounts.transaction(standing.ownerId, async (transaction) => {
      const { account } = transaction;
      if (!account) return undefined;
      const now = later(transaction.now, readAt);
      const verdict = standing.ownedBy(account).verdictOn(question, isAdmitted, now);
      if (!verdict.granted) return undefined;
      const keys = new OwnerKeys(await transaction.openKeys());
      const actor = { actorId: null, client };
      const isActive = await changeKeys(transaction, { keys, actor }, () => keys.firstUsed(standing.id, now));
      if (!isActive) return undefined;
      await transaction.recordUse(standing.id, now);
      return verdict;
    });
  }
}
