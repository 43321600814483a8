import type { PutAccount, PutAccountCommand } from '../application/accounts/put-account.js';
import { LatchkeyError } from '../domain/errors.js';

/** A demo begins with its owner, also after somebody has tried a purge on it: that takes a version newer than any. */
export async function openDemoOwner(putAccount: PutAccount, owner: PutAccountCommand): Promise<void> {
  try {
    await putAccount.execute(owner);
  } catch (error) {
    if (!(error instanceof LatchkeyError) || error.code !== 'stale_version') throw error;
    await putAccount.execute({ ...owner, version: BigInt(Date.now()) });
  }
}
