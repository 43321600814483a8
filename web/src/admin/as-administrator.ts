import type { ApiClient, Call } from '../api/client';
import { hasCode } from '../api/problem';

/** The person may not see the keys of all owners any more. */
export class NotAdministrator extends Error {
  override readonly name = 'NotAdministrator';
}

/**
 * People without the permission or without a session get the answer for an address that does not exist. If only the
 * session has ended, the person signs in again, and the call is repeated. So `not_found` means that there is no such key.
 */
export async function asAdministrator<T>(client: ApiClient, path: string, call: Call = {}): Promise<T> {
  try {
    return await client.call<T>(path, call);
  } catch (error) {
    if (!hasCode(error, 'not_found')) throw error;
    const { isAdministrator } = await client.getOwner();
    if (!isAdministrator) throw new NotAdministrator();
    return client.call<T>(path, call);
  }
}
