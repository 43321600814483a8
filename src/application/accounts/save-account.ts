import type { Account } from '../../domain/accounts/account.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import type { AccountTransaction } from '../account-transaction.js';

/** Saves the account and an event for each of its changes. */
export async function saveAccount(transaction: AccountTransaction, account: Account, actor: Actor): Promise<void> {
  await transaction.saveAccount(account);
  for (const { became, ...details } of account.changes) {
    const more = details.permissions ? { details } : {};
    await transaction.record({ type: `account.${became}`, ...more, ...actor });
  }
}
