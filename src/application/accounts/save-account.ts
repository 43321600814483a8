import type { Account } from '../../domain/accounts/account.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import { accountNotFound, type AccountTransaction } from '../account-transaction.js';
import type { Accounts } from '../ports.js';

/** Whose account is changed, and who changes it. */
interface ChangedBy {
  readonly id: string;
  readonly actor: Actor;
}

/** Resolves after the change has committed, so every later validation sees it. Throws `account_not_found`. */
export function changeAccount(
  accounts: Accounts,
  { id, actor }: ChangedBy,
  change: (account: Account, now: Date) => void,
): Promise<Account> {
  return accounts.transaction(id, async (transaction) => {
    const { account } = transaction;
    if (!account) throw accountNotFound();
    change(account, transaction.now);
    await saveAccount(transaction, account, actor);
    if (!account.isActive) await transaction.endSessions();
    return account;
  });
}

/** Saves a locked account and an event for each of its changes. */
export async function saveAccount(transaction: AccountTransaction, account: Account, actor: Actor): Promise<void> {
  await transaction.saveAccount(account);
  for (const { became, ...details } of account.changes) {
    const more = details.permissions ? { details } : {};
    await transaction.record({ type: `account.${became}`, ...more, ...actor }, account.id);
  }
}
