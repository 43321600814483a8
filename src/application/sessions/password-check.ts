import type { Account } from '../../domain/accounts/account.js';
import { NetworkBudget } from '../../domain/accounts/network-budget.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { Client, FailureReason } from '../../domain/audit/audit-event.js';
import type { Asker, Audit, GuessSubject, PasswordGuesses, Passwords } from '../ports.js';

interface PasswordGuess {
  /** Undefined when no account has this email. */
  readonly account: Account | undefined;
  readonly email: string;
  readonly password: string;
  readonly subjects: readonly GuessSubject[];
  readonly asker: Asker;
}

/**
 * The only place that checks passwords. It counts the attempt, then hashes, and records every failure before it
 * answers.
 */
export class PasswordCheck {
  private readonly budget = new NetworkBudget();

  constructor(
    private readonly passwords: Passwords,
    private readonly guesses: PasswordGuesses,
    private readonly audit: Audit,
    private readonly nowMs: () => number = () => Math.floor(performance.now()),
  ) {}

  /** Takes the same time whether or not there is an account. Throws `too_many_attempts` or `busy`. */
  async verify(guess: PasswordGuess, client: Client): Promise<{ matches: boolean; outdated: boolean }> {
    const { account, password, email, subjects, asker } = guess;
    const fail = (reason: FailureReason) =>
      this.audit.recordFailure({ reason, client, ownerId: account?.id ?? null, keyId: null, publicPart: null });
    try {
      await this.count(subjects, asker);
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'too_many_attempts') await fail('too-many-attempts');
      throw error;
    }
    const result = await this.passwords.verify(password, account?.passwordHash ?? null, asker, email);
    if (result.matches) {
      if (!asker.isKnown) this.budget.giveBack(asker.name);
      await this.guesses.forgive(subjects);
    } else await fail('incorrect-password');
    return result;
  }

  /** Checks the budget first because that is cheap, and refunds it if the attempt is refused later on. */
  private async count(subjects: readonly GuessSubject[], asker: Asker): Promise<void> {
    if (asker.isKnown) return this.guesses.count(subjects, asker);
    this.budget.spend(asker.name, this.nowMs());
    try {
      this.passwords.requireRoom(asker);
      await this.guesses.count(subjects, asker);
    } catch (error) {
      this.budget.giveBack(asker.name);
      throw error;
    }
  }
}
