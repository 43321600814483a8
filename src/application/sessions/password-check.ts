import type { Account } from '#domain/accounts/account.js';
import { NetworkBudget } from '#domain/accounts/passwords.js';
import { LatchkeyError } from '#domain/errors.js';
import { type Client, failureOf, type FailureReason } from '#domain/audit/audit-event.js';
import type { Audit } from '../audit-ports.js';
import type { Requester, GuessSubject, PasswordGuesses, Passwords } from '../sign-in-ports.js';

interface PasswordGuess {
  /** Undefined when no account has this email. */
  readonly account: Account | undefined;
  readonly email: string;
  readonly password: string;
  readonly subjects: readonly GuessSubject[];
  readonly requester: Requester;
}

/** The only place that checks passwords. It counts the attempt, hashes, and records a failure before it answers. */
export class PasswordCheck {
  private readonly budget = new NetworkBudget();
  /** The latest attempt on each subject. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly passwords: Passwords,
    private readonly guesses: PasswordGuesses,
    private readonly audit: Audit,
    private readonly nowMs: () => number = () => Math.floor(performance.now()),
  ) {}

  /** Takes the same time whether or not there is an account. Throws `too_many_attempts` or `busy`. */
  verify(guess: PasswordGuess, client: Client): Promise<{ matches: boolean; outdated: boolean }> {
    return this.inTurn(guess.subjects.map(({ name }) => name).join(' '), () => this.verifyNow(guess, client));
  }

  /** One attempt after the other: right passwords that come at the same time must not count as guesses of each other. */
  private inTurn<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.turns.get(subject) ?? Promise.resolve()).then(work);
    const over = turn.catch(() => undefined);
    this.turns.set(subject, over);
    void over.then(() => this.turns.get(subject) === over && this.turns.delete(subject));
    return turn;
  }

  private async verifyNow(guess: PasswordGuess, client: Client): Promise<{ matches: boolean; outdated: boolean }> {
    const { account, password, email, subjects, requester } = guess;
    const fail = (reason: FailureReason) => this.audit.recordFailure(failureOf(reason, client, account?.id));
    try {
      await this.count(subjects, requester);
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'too_many_attempts') await fail('too-many-attempts');
      throw error;
    }
    let result = { matches: false, outdated: false };
    // Keyboards write an accent as one character (NFC) or as two (NFD), and the password may have been set on another one.
    for (const form of new Set([password, password.normalize('NFC'), password.normalize('NFD')])) {
      result = await this.passwords.verify(form, account?.passwordHash ?? null, requester, email);
      if (result.matches) break;
    }
    if (result.matches) {
      if (!requester.isKnown) this.budget.giveBack(requester.name);
      await this.guesses.forgive(subjects);
    } else await fail('incorrect-password');
    return result;
  }

  /** Checks the budget first because that is cheap, and refunds it if the attempt is refused later on. */
  private async count(subjects: readonly GuessSubject[], requester: Requester): Promise<void> {
    if (requester.isKnown) return this.guesses.count(subjects, requester);
    this.budget.spend(requester.name, this.nowMs());
    try {
      this.passwords.requireRoom(requester);
      await this.guesses.count(subjects, requester);
    } catch (error) {
      this.budget.giveBack(requester.name);
      throw error;
    }
  }
}
