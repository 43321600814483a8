import type { Client } from '../../domain/audit/audit-event.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { Accounts } from '../ports.js';
import { saveKeys } from './save-keys.js';

/** The first use of a key that replaces another, which brings about the end of that one. */
export class RecordFirstUse {
  /** By key: requests that arrive together, each with a read of its own behind it, wait for one commit. */
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(private readonly accounts: Accounts) {}

  /**
   * Resolves once the use is committed, by this call or an earlier one. Says no if the key or its owner is not active any
   * more, which is looked at once more under the locks that a revocation takes.
   */
  execute(key: { readonly id: string; readonly ownerId: string }, client: Client): Promise<boolean> {
    const known = this.underWay.get(key.id);
    if (known) return known;
    const recording = this.record(key.ownerId, key.id, client).finally(() => this.underWay.delete(key.id));
    this.underWay.set(key.id, recording);
    return recording;
  }

  private record(ownerId: string, keyId: string, client: Client): Promise<boolean> {
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account?.isActive) return false;
      const keys = new OwnerKeys(await transaction.openKeys());
      const isActive = keys.firstUsed(keyId, transaction.now);
      await saveKeys(transaction, keys, { actorId: null, client });
      return isActive;
    });
  }
}
