import { LatchkeyError } from '../errors.js';
import { Account, type AccountProfile } from './account.js';
import { newestVersion } from './account-version.js';

/** What is left of an account that was purged: its id, and its last version, so that no late change brings it back. */
export class FormerAccount {
  private constructor(
    readonly id: string,
    readonly version: bigint,
  ) {}

  /** @param account or what is left of it already: a purge may be sent again. Throws `stale_version` like any change. */
  static purge(account: Account | FormerAccount, version?: bigint): FormerAccount {
    return new FormerAccount(account.id, newestVersion(account.version, version));
  }

  static restore(id: string, version: bigint): FormerAccount {
    return new FormerAccount(id, version);
  }

  /** A new account under the same id, of another person perhaps. Only a newer version can't be a late change of the old one. */
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
