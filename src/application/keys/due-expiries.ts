import type { ApiKey } from '../../domain/keys/api-key.js';
import { NO_CLIENT } from '../../domain/audit/audit-event.js';
import type { AccountTransaction } from '../ports.js';

/** If the key's expiry is due and not on record yet, records it with its event and says so. */
export async function recordExpiryIfDue(transaction: AccountTransaction, key: ApiKey): Promise<boolean> {
  if (!key.expire(transaction.now)) return false;
  await transaction.saveKey(key);
  await transaction.record({ type: 'api_key.expired', keyId: key.id, actorId: null, client: NO_CLIENT });
  return true;
}

/** How many keys of the account are active, once the expiries that are due are on record. */
export async function countActiveKeys(transaction: AccountTransaction): Promise<number> {
  let active = 0;
  for (const key of await transaction.openKeys()) {
    if (!(await recordExpiryIfDue(transaction, key))) active += 1;
  }
  return active;
}
