import type { Account } from '../../domain/accounts/account.js';
import {
  confirmationRequired,
  isFresh,
  type FreshSignInRule,
  type PlatformSignIn,
} from '../../domain/accounts/fresh-sign-in.js';
import { CONFIRMATION } from '../../domain/accounts/password-throttle.js';
import type { Client } from '../../domain/audit/audit-event.js';
import { LatchkeyError, requireFields } from '../../domain/errors.js';
import type { Accounts, Passwords } from '../ports.js';
import type { PasswordCheck } from './password-check.js';

export const CONFIRMATION_KINDS = ['password', 'fresh-sign-in'] as const;
export type ConfirmationKind = (typeof CONFIRMATION_KINDS)[number];

/** What owners bring to confirm that it is they who ask. */
export interface Proof {
  readonly password?: string | undefined;
  /** How they signed in at the platform, if they did. */
  readonly signIn?: PlatformSignIn | undefined;
}

/** What was looked at before the transaction, to be held against what the transaction finds. */
interface Confirmed extends Proof {
  readonly passwordHash: string | null;
  /** Whether that is cheaper than new hashes are. */
  readonly isOutdated: boolean;
}

/** Confirms a change: by the owner's password where they have one here, or else by a fresh sign-in at the platform. */
export class Confirmation {
  constructor(
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    private readonly check: PasswordCheck,
    private readonly takesPasswords: boolean,
    private readonly rule: FreshSignInRule,
  ) {}

  kindFor({ passwordHash }: Account): ConfirmationKind {
    return this.takesPasswords && passwordHash !== null ? 'password' : 'fresh-sign-in';
  }

  /** Before the transaction, since a password takes time. Throws `incorrect_password`. */
  async begin(ownerId: string, { password, signIn }: Proof, client: Client): Promise<Confirmed> {
    const isUnasked = password !== undefined && !this.takesPasswords;
    requireFields({ password: isUnasked ? 'must be left out: PASSWORD_SIGN_IN is off' : undefined });
    const account = await this.accounts.find(ownerId);
    const passwordHash = account?.passwordHash ?? null;
    if (password === undefined) {
      const isMissing = account !== undefined && this.kindFor(account) === 'password';
      requireFields({ password: isMissing ? 'is missing' : undefined });
      return { signIn, passwordHash, isOutdated: false };
    }
    const name = `confirm:${ownerId}`;
    const guess = { account, email: account?.email ?? '', password, subjects: [{ name, policy: CONFIRMATION }] };
    const asker = { name, isKnown: true };
    const { matches, outdated } = await this.check.verify({ ...guess, asker }, client);
    if (!matches) throw incorrectPassword();
    return { password, passwordHash, isOutdated: outdated };
  }

  /**
   * Inside it. Throws `confirmation_required` when the sign-in is not fresh.
   * @returns false when the account's password changed in between: begin again
   */
  holds({ password, signIn, passwordHash }: Confirmed, account: Account, now: Date): boolean {
    if (account.passwordHash !== passwordHash) return false;
    if (password === undefined && !isFresh(signIn, this.rule, now)) throw confirmationRequired(this.rule);
    return true;
  }

  /** Afterwards: replaces an outdated hash. What was confirmed is done; if this fails, the next right password does it. */
  async renew(ownerId: string, { password, passwordHash, isOutdated }: Confirmed): Promise<void> {
    if (password === undefined || passwordHash === null || !isOutdated) return;
    const rehash = async () => this.accounts.rehash(ownerId, passwordHash, await this.passwords.hash(password));
    await rehash().catch(() => undefined);
  }
}

export function incorrectPassword(): LatchkeyError {
  return new LatchkeyError('incorrect_password', 'Incorrect password');
}
