import type { Client } from '../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { AccountTransaction } from '../account-transaction.js';
import type { Accounts } from '../ports.js';
import { incorrectPassword, type Confirmation, type Proof } from '../sessions/confirmation.js';

/** A refusal is answered instead of thrown, so that what the change came across on its way is committed all the same. */
type Change<T> = (transaction: AccountTransaction) => Promise<T | LatchkeyError>;

/** A change of their keys that owners confirm. */
export class ConfirmedChange {
  constructor(
    private readonly accounts: Accounts,
    private readonly confirmation: Confirmation,
  ) {}

  /** The password is checked outside the transaction, and the account once more inside it. Throws a refusal. */
  async execute<T>(ownerId: string, proof: Proof, client: Client, change: Change<T>): Promise<T> {
    let outcome = await this.attempt(ownerId, proof, client, change);
    // A sign-in may have replaced the hash of the same password in between: check once more, against what is stored now.
    if (outcome === 'password-changed') outcome = await this.attempt(ownerId, proof, client, change);
    if (outcome === 'password-changed') throw incorrectPassword();
    if (outcome instanceof LatchkeyError) throw outcome;
    return outcome;
  }

  private async attempt<T>(
    ownerId: string,
    proof: Proof,
    client: Client,
    change: Change<T>,
  ): Promise<T | LatchkeyError | 'password-changed'> {
    const confirmed = await this.confirmation.begin(ownerId, proof, client);
    const outcome = await this.accounts.transaction(ownerId, async (transaction) => {
      const { account, now } = transaction;
      if (!account?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
      if (!this.confirmation.holds(confirmed, account, now)) return 'password-changed' as const;
      return change(transaction);
    });
    await this.confirmation.renew(ownerId, confirmed);
    return outcome;
  }
}
