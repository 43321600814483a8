import { type Actor, NO_CLIENT } from '../../domain/audit/audit-event.js';
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
    const { actorId, client } = became === 'expired' ? { actorId: null, client: NO_CLIENT } : actor;
    const why = became === 'revoked' ? { reason: change.reason } : {};
    await transaction.record({ type: `api_key.${became}`, keyId: key.id, ...why, actorId, client });
  }
}
