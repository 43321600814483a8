import { LatchkeyError } from '../errors.js';
import { Account, newestVersion } from './account.js';
import { type AccountProfile } from './account-profile.js';

/** What remains of a purged account. Because of its last version, a change that arrives late can't restore it. */
export class FormerAccount {
  private constructor(
    readonly id: string,
    readonly version: bigint,
    /** Whether leases on the keys of the account must not be used any more. */
    readonly endsLeases: boolean,
  ) {}

  /** @param account may be purged already: a purge may be repeated. Throws `stale_version` like any change. */
  static purge(account: Account | FormerAccount, version?: bigint): FormerAccount {
    return new FormerAccount(account.id, newestVersion(account.version, version), account instanceof Account);
  }

  static restore(id: string, version: bigint): FormerAccount {
    return new FormerAccount(id, version, false);
  }

  /** Opens a new account, perhaps of another person. An older version could be a late change of the old account. */
  open(profile: AccountProfile): Account {
    if (profile.version === undefined || profile.version <= this.version) {
      throw new LatchkeyError(
        'stale_version',
        `the account with this id was purged at version ${this.version}: only a newer version opens a new account`,
      );
    }
    return Account.open(this.id, profile);
  }
}
