import { LatchkeyError } from '../errors.js';
import { Account, type AccountProfile } from './account.js';
import { newestVersion } from './account-version.js';

/**
 * What remains of a purged account: its id, and its last version, so that a change that arrives late can't restore it.
 */
export class FormerAccount {
  private constructor(
    readonly id: string,
    readonly version: bigint,
  ) {}

  /** @param account may be purged already: a purge may be repeated. Throws `stale_version` like any change. */
  static purge(account: Account | FormerAccount, version?: bigint): FormerAccount {
    return new FormerAccount(account.id, newestVersion(account.version, version));
  }

  static restore(id: string, version: bigint): FormerAccount {
    return new FormerAccount(id, version);
  }

  /**
   * Opens a new account, perhaps of another person, under the same id. The version must be newer: only then the call
   * can't be a late change of the old account.
   */
  open(profile: AccountProfile): Account {
    if (profile.version === undefined || profile.version <= this.version) {
      throw new LatchkeyError(
        'stale_version',
        `id names an account that was purged at version ${this.version}: a newer version opens a new account`,
      );
    }
    return Account.open(this.id, profile);
  }
}
