import { type Actor, THE_SERVICE } from '../../domain/audit/audit-event.js';
import type { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { AccountTransaction } from '../account-transaction.js';

/** Stores what changed among the keys, each change with its event. An expiry has no actor. */
export async function saveKeys(
  transaction: AccountTransaction,
  keys: OwnerKeys,
  actor: Actor,
  idempotencyKey?: string,
): Promise<void> {
  for (const change of keys.changes) {
    const { key, became } = change;
    if (became === 'created') await transaction.addKey(key, idempotencyKey);
    else await transaction.saveKey(key);
    const by = became === 'expired' ? THE_SERVICE : actor;
    const more =
      became === 'revoked' ? { reason: change.reason } : became === 'created' ? { details: key.fixedFacts() } : {};
    await transaction.record({ type: `api_key.${became}`, keyId: key.id, ...more, ...by });
  }
}
