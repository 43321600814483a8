import { keyNotActive } from '../../domain/keys/api-key.js';
import { noSuchKey, OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { AccountTransaction } from '../account-transaction.js';
import type { ListedKey } from '../listed-key.js';

/**
 * One of the account's keys, to be changed among all that are open: these are locked first, in the order of their ids, as
 * everywhere. Throws `not_found`, and `api_key_not_active` for one that is known to have ended.
 */
export async function openKey(
  transaction: AccountTransaction,
  keyId: string,
): Promise<{ readonly keys: OwnerKeys; readonly listed: ListedKey }> {
  const open = await transaction.openKeys();
  const found = await transaction.findKey(keyId);
  if (!found) throw noSuchKey();
  const key = open.find(({ id }) => id === keyId);
  if (!key) throw keyNotActive(found.key.status(transaction.now));
  return { keys: new OwnerKeys(open), listed: { ...found, key } };
}
