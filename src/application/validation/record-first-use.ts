import type { Client } from '../../domain/audit/audit-event.js';
import type { KeyStanding } from '../../domain/keys/key-standing.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { Verdict } from '../../domain/keys/verdict.js';
import type { AccountTransaction } from '../account-transaction.js';
import type { Accounts } from '../ports.js';
import { saveKeys } from '../keys/save-keys.js';

type Judge = (standing: KeyStanding, now: Date) => Verdict;

/** The first use of a key that replaces another, which brings about the end of that one. */
export class RecordFirstUse {
  /** By key. */
  private readonly underWay = new Map<string, Promise<Verdict | undefined>>();

  constructor(private readonly accounts: Accounts) {}

  /**
   * The grant under the locks that a revocation and a change of the account take, once the use is committed.
   * @returns undefined when the key must be read again: it or its owner has changed, or another request is recording the use
   */
  async execute(standing: KeyStanding, judge: Judge, client: Client): Promise<Verdict | undefined> {
    const other = this.underWay.get(standing.id);
    if (other) {
      await other;
      return undefined;
    }
    const recording = this.record(standing, judge, client);
    this.underWay.set(standing.id, recording);
    return recording.finally(() => this.underWay.delete(standing.id));
  }

  private record(standing: KeyStanding, judge: Judge, client: Client): Promise<Verdict | undefined> {
    return this.accounts.transaction(standing.ownerId, async (transaction: AccountTransaction) => {
      const { account, now } = transaction;
      if (!account) return undefined;
      const verdict = judge(standing.ownedBy(account), now);
      if (!verdict.granted) return undefined;
      const keys = new OwnerKeys(await transaction.openKeys());
      const isActive = keys.firstUsed(standing.id, now);
      await saveKeys(transaction, keys, { actorId: null, client });
      return isActive ? verdict : undefined;
    });
  }
}
