import type { Account } from '../../domain/accounts/account.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { Client, FailureReason } from '../../domain/audit/audit-event.js';
import type { Audit, GuessSubject, PasswordGuesses, Passwords } from '../ports.js';

/** The one way a password is looked at: counted first, hashed then, and every failure recorded before the answer. */
export class PasswordCheck {
  constructor(
    private readonly passwords: Passwords,
    private readonly guesses: PasswordGuesses,
    private readonly audit: Audit,
  ) {}

  /** Costs the same whether or not there is an account. Throws `too_many_attempts` or `busy`. */
  async verify(
    account: Account | undefined,
    password: string,
    subjects: readonly GuessSubject[],
    client: Client,
  ): Promise<{ matches: boolean; outdated: boolean }> {
    const fail = (reason: FailureReason) =>
      this.audit.recordFailure({ reason, client, ownerId: account?.id ?? null, keyId: null, publicPart: null });
    try {
      await this.guesses.count(subjects);
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'too_many_attempts') await fail('too-many-attempts');
      throw error;
    }
    const result = await this.passwords.verify(password, account?.passwordHash ?? null);
    if (result.matches) await this.guesses.forgive(subjects);
    else await fail('incorrect-password');
    return result;
  }
}
