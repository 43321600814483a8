import type { Account } from '#domain/accounts/account.js';
import { type Actor, THE_SERVICE } from '#domain/audit/audit-event.js';
import {
  type AccountChanges,
  type AccountLocks,
  accountNotFound,
  type Purge,
  type Accounts,
} from '../account-ports.js';
import type { Attribute, AccountLimits } from '#domain/accounts/entitlements.js';
import { NO_TERMS, changedTerms } from '#domain/accounts/account-change.js';
import { FormerAccount } from '#domain/accounts/former-account.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { changeKeys } from '../keys/change-keys.js';

export async function saveAccount(transaction: AccountChanges, account: Account, actor: Actor): Promise<void> {
  await transaction.saveAccount(account);
  for (const { became, ...details } of account.changes) {
    const more = details.permissions ? { details } : {};
    await transaction.record({ type: `account.${became}`, ...more, ...actor }, account.id);
  }
}

interface LimitChange {
  readonly limits: AccountLimits;
  /** Whether these replace all stored limits. Otherwise the stored ones that are not given stay. */
  readonly isWhole: boolean;
  readonly version: bigint | undefined;
}

/** Resolves after the change has committed, so every later validation sees it. Throws `account_not_found`. */
export class ChangeAccount {
  constructor(private readonly accounts: Pick<Accounts, 'managedBy'> & AccountLocks<Purge>) {}

  suspend(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return this.change(id, actor, (account) => account.suspend(version));
  }

  reactivate(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return this.change(id, actor, (account, now) => account.reactivate(now, version));
  }

  delete(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return this.change(id, actor, (account) => account.delete(version));
  }

  limit(id: string, { limits, isWhole, version }: LimitChange, actor: Actor): Promise<Account> {
    return this.change(id, actor, (account) => {
      account.limitKeys(isWhole ? limits : { ...account.limits, ...limits }, version);
    });
  }

  describe(id: string, attributes: readonly Attribute[], version: bigint | undefined, actor: Actor): Promise<Account> {
    return this.change(id, actor, (account) => account.describe(attributes, version));
  }

  private change(id: string, actor: Actor, change: (account: Account, now: Date) => void): Promise<Account> {
    return this.accounts.transaction(id, async (transaction) => {
      const { account } = transaction;
      if (!account) throw accountNotFound();
      change(account, transaction.now);
      await saveAccount(transaction, account, actor);
      if (!account.isActive) await transaction.endSessions();
      return account;
    });
  }

  /** Ends every key and deletes the data about the person. Returns how many keys it ended; 0 when it is repeated. */
  async purge(id: string, version: bigint | undefined, actor: Actor): Promise<number> {
    const managed = (await this.accounts.managedBy(id)).map((account) => account.id);
    const work = async (transaction: Purge) => {
      const { account, formerAccount } = transaction;
      const known = account ?? formerAccount;
      if (!known) throw accountNotFound();
      const former = FormerAccount.purge(known, version);
      const named = await transaction.managedIds();
      // Named as a manager of one more account before this one was locked.
      if (named.some((each) => !managed.includes(each))) return undefined;
      for (const each of named) {
        const managedAccount = transaction.other(each)!;
        managedAccount.removeManager(id);
        await saveAccount(transaction, managedAccount, actor);
      }
      const keys = new OwnerKeys(await transaction.openKeys());
      const revoked = await changeKeys(transaction, { keys, actor }, () => keys.revokeAll('purged', transaction.now));
      await transaction.endSessions();
      await transaction.forgetAccount(former);
      if (account) {
        const details = changedTerms(account, NO_TERMS);
        await transaction.record({ type: 'account.purged', details, ...actor });
      }
      return revoked.length;
    };
    return (await this.accounts.transaction(id, work, managed)) ?? this.purge(id, version, actor);
  }
}
