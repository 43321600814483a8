import type { Account } from '#domain/accounts/account.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { LatchkeyError } from '#domain/errors.js';
import type { AccountLocks, KeyChanges, KeyMaking, Accounts } from './account-ports.js';

/** A person, and the account whose keys they work with: their own, or a service account that they manage. */
export interface Acting {
  readonly personId: string;
  readonly ownerId: string;
}

/** The same answer for an account that does not exist, so that nobody learns which ids exist. */
function notManaged(): LatchkeyError {
  return new LatchkeyError('account_not_found', 'There is no such account, or you do not manage it');
}

export class ManagedAccounts {
  constructor(private readonly accounts: Accounts) {}

  /** The person's own account first. */
  async list(person: Account): Promise<Account[]> {
    const managed = await this.accounts.managedBy(person.id);
    return [person, ...managed.filter((account) => account.isManagedBy(person))];
  }

  /** Throws `account_not_found` for an account whose keys the person may not see. */
  async find(person: Account, id: string): Promise<Account> {
    if (id === person.id) return person;
    // PostgreSQL refuses some texts that are no ids, such as those with a NUL.
    const account = accountIdProblem(id) ? undefined : await this.accounts.find(id);
    if (!account?.isManagedBy(person)) throw notManaged();
    return account;
  }
}

export type Managed<Needs extends KeyChanges> = Needs & { readonly account: Account };
/** What people do who confirm it. */
export type ManagedTransaction = Managed<KeyMaking>;

/** Throws if the person may not change the keys of the account. Both are locked. */
export type Admission = (account: Account | undefined, person: Account | undefined) => void;

/** Throws `unauthenticated` unless the person is still active, `account_not_found` unless they manage the account. */
const requireManager: Admission = (account, person) => {
  if (!person?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
  if (!account?.isManagedBy(person)) throw notManaged();
};

/** Locks both accounts and checks the person again. Throws the errors of `admit`. */
export function managedTransaction<Needs extends KeyChanges, T>(
  accounts: AccountLocks<Needs>,
  { personId, ownerId }: Acting,
  work: (transaction: Managed<Needs>, person: Account) => Promise<T>,
  admit = requireManager,
): Promise<T> {
  return accounts.transaction(
    ownerId,
    async (transaction) => {
      const { account } = transaction;
      const person = personId === ownerId ? account : transaction.other(personId);
      admit(account, person);
      return work(transaction as Managed<Needs>, person!);
    },
    personId === ownerId ? [] : [personId],
  );
}
