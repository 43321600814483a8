import type { ApiKey } from '../../domain/keys/api-key.js';
import type { Client } from '../../domain/audit/audit-event.js';
import { recordExpiryIfDue } from './due-expiries.js';
import type { AccountTransaction } from '../ports.js';

/**
 * Ends the key with its event. False when its time had run out: then that is recorded instead.
 * Throws `api_key_not_active` for one that is known to have ended before.
 */
export async function revokeUnlessExpired(
  transaction: AccountTransaction,
  key: ApiKey,
  actorId: string,
  client: Client,
): Promise<boolean> {
  if (await recordExpiryIfDue(transaction, key)) return false;
  key.revoke(transaction.now);
  await transaction.saveKey(key);
  await transaction.record({ type: 'api_key.revoked', keyId: key.id, actorId, client });
  return true;
}
