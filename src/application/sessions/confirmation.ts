import type { Account } from '#domain/accounts/account.js';
import {
  confirmationRequired,
  freshnessProblem,
  type FreshSignInRule,
  type PlatformSignIn,
} from '#domain/accounts/session.js';
import { FREE_GUESSES_TO_CONFIRM } from '#domain/accounts/passwords.js';
import type { Client } from '#domain/audit/audit-event.js';
import { LatchkeyError, requireFields } from '#domain/errors.js';
import { type Acting, type Admission, type ManagedTransaction, managedTransaction } from '../managed-account.js';
import type { Ports } from '../ports.js';
import type { PasswordCheck } from './password-check.js';

export const CONFIRMATION_KINDS = ['password', 'fresh-sign-in'] as const;
export type ConfirmationKind = (typeof CONFIRMATION_KINDS)[number];

export interface Proof {
  readonly password?: string | undefined;
  /** Their sign-in at the platform, if they used one. */
  readonly signIn?: PlatformSignIn | undefined;
}

interface ConfirmedOrder {
  readonly acting: Acting;
  readonly proof: Proof;
  readonly client: Client;
  /** Who may change these keys. Default: their owner and its managers. */
  readonly admit?: Admission;
}

/** What is done in the transaction that locks and checks the person and the owner of the keys. */
type Change<T> = (transaction: ManagedTransaction, person: Account) => Promise<T>;

/** The result of the check, which the transaction compares with the locked account. */
interface Checked extends Proof {
  readonly passwordHash: string | null;
  /** Whether that hash is weaker than new hashes. Only after a right password. */
  readonly isOutdated?: boolean;
}

interface ConfirmationParts extends Pick<Ports, 'accounts' | 'passwords'> {
  readonly check: PasswordCheck;
  /** Whether people may confirm with a password of ours. */
  readonly takesPasswords: boolean;
  readonly rule: FreshSignInRule;
}

/** People confirm a change with their password or, without one here, with a fresh sign-in at the platform. */
export class Confirmation {
  constructor(private readonly parts: ConfirmationParts) {}

  kindFor({ passwordHash }: Account): ConfirmationKind {
    return this.parts.takesPasswords && passwordHash !== null ? 'password' : 'fresh-sign-in';
  }

  /**
   * Checks the password before the transaction, because hashing is slow. The transaction checks that the account has
   * not changed since. Throws `incorrect_password`, `confirmation_required`, and the errors of `change`.
   */
  async confirm<T>(order: ConfirmedOrder, change: Change<T>): Promise<T> {
    // A concurrent sign-in may have replaced the hash of the same password: then check once more, with the new hash.
    const outcome = (await this.attempt(order, change)) ?? (await this.attempt(order, change));
    if (!outcome) throw incorrectPassword();
    return outcome.result;
  }

  /** Undefined when the person's password hash changed after the check. */
  private async attempt<T>(order: ConfirmedOrder, change: Change<T>): Promise<{ result: T } | undefined> {
    const checked = await this.check(order);
    const { accounts, rule } = this.parts;
    const work = async (transaction: ManagedTransaction, person: Account) => {
      if (person.passwordHash !== checked.passwordHash) return undefined;
      if (checked.password === undefined && freshnessProblem(checked.signIn, rule, transaction.now))
        throw confirmationRequired(rule);
      return { result: await change(transaction, person) };
    };
    const outcome = managedTransaction(accounts, order.acting, work, order.admit);
    return outcome.finally(() => this.renew(order.acting.personId, checked));
  }

  private async check({ acting: { personId }, proof: { password, signIn }, client }: ConfirmedOrder): Promise<Checked> {
    const { accounts, check, takesPasswords } = this.parts;
    const isNotAccepted = password !== undefined && !takesPasswords;
    requireFields({ password: isNotAccepted ? 'must be left out: PASSWORD_SIGN_IN is off' : undefined });
    const account = await accounts.find(personId);
    const passwordHash = account?.passwordHash ?? null;
    if (password === undefined) {
      const isMissing = account !== undefined && this.kindFor(account) === 'password';
      requireFields({ password: isMissing ? 'is missing' : undefined });
      return { signIn, passwordHash };
    }
    const name = `confirm:${personId}`;
    const guess = {
      account,
      email: account?.email ?? '',
      password,
      subjects: [{ name, freeGuesses: FREE_GUESSES_TO_CONFIRM }],
    };
    const requester = { name, isKnown: true };
    const { matches, outdated } = await check.verify({ ...guess, requester }, client);
    if (!matches) throw incorrectPassword();
    return { password, passwordHash, isOutdated: outdated };
  }

  /** If replacing an outdated hash fails, the change still succeeds, and the next correct password replaces it. */
  private async renew(personId: string, { password, passwordHash, isOutdated }: Checked): Promise<void> {
    if (!isOutdated) return;
    const { accounts, passwords } = this.parts;
    const rehash = async () => accounts.rehash(personId, passwordHash!, await passwords.hash(password!));
    await rehash().catch(() => undefined);
  }
}

function incorrectPassword(): LatchkeyError {
  return new LatchkeyError('incorrect_password', 'Incorrect password');
}
