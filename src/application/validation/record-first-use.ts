import type { Client } from '../../domain/audit/audit-event.js';
import type { KeyStanding } from '../../domain/keys/key-standing.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { Question, Verdict } from '../../domain/keys/verdict.js';
import { later } from '../../domain/time.js';
import type { AccountLocks, FirstUses } from '../account-transaction.js';
import type { RecordingGate } from '../ports.js';
import { changeKeys } from '../keys/change-keys.js';

export interface FirstUse {
  readonly standing: KeyStanding;
  /** When the standing was read. If the clock was set back since then, the use is recorded as of that time. */
  readonly readAt: Date;
  readonly question: Question;
  readonly isAdmitted: boolean;
  readonly client: Client;
  /** See RecordingGate. */
  readonly since: number;
}

/**
 * Records the first use of a successor, which sets the end of the old key; and a use of a key that the first of two
 * checks found idle, so that the second one does not end it.
 */
export class RecordFirstUse {
  constructor(
    private readonly accounts: AccountLocks<FirstUses>,
    private readonly gate: RecordingGate,
  ) {}

  /**
   * Returns the grant after the use has committed. Undefined when the key must be read again: the key or its
   * owner has changed, or another request was recording something of the key.
   */
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
