import { Account, type SignInProfile } from '#domain/accounts/account.js';
import { newIdProblem, shownName, emailProblem } from '#domain/accounts/account-profile.js';
import type { Actor, Client } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { AccountChanges, AccountLocks, Accounts } from '../account-ports.js';
import type { PlatformPerson } from '../sign-in-ports.js';
import { saveAccount } from './change-account.js';

export interface SignInRules {
  readonly permissions: readonly string[];
  /** By role. Undefined: roles do not count. Otherwise nobody gets an account without one of these. */
  readonly roles: ReadonlyMap<string, readonly string[]> | undefined;
}

/** The accounts of people who sign in at the platform's login, which may open and keep them. */
export class SignInAccounts {
  /** @param rules undefined: the platform opens all accounts */
  constructor(
    private readonly accounts: Pick<Accounts, 'find'> & AccountLocks<AccountChanges>,
    private readonly rules: SignInRules | undefined,
  ) {}

  /** As the login says now. Undefined: they have none and get none. Accounts of the platform stay as they are. */
  async of({ accountId: id, issuer, profile }: PlatformPerson, client: Client): Promise<Account | undefined> {
    const stored = id === undefined ? undefined : await this.accounts.find(id);
    // Even after SIGN_IN_OPENS_ACCOUNTS was turned off.
    if (stored?.isOfOtherLogin(issuer)) return undefined;
    const isLeft = stored && (stored.origin === 'platform' || !stored.isActive);
    if (id === undefined || !this.rules || !profile || isLeft || newIdProblem(id)) return stored;
    const roles = profile.roles.filter((role) => this.rules?.roles?.has(role));
    if (!stored && this.rules.roles && roles.length === 0) return undefined;
    const permissions = [...this.rules.permissions, ...roles.flatMap((role) => this.rules!.roles!.get(role)!)];
    const displayName = shownName(profile.displayName, id);
    const email = emailProblem(profile.email) ? '' : profile.email;
    const said = { issuer, issuedAt: profile.issuedAt, email, displayName, permissions };
    return this.signIn(id, said, client).catch((error: unknown) => {
      if (!(error instanceof LatchkeyError && error.code === 'email_taken')) throw error;
      return this.signIn(id, { ...said, email: '' }, client);
    });
  }

  private signIn(id: string, profile: SignInProfile, client: Client): Promise<Account | undefined> {
    const actor: Actor = { actorId: 'sign-in', actorKind: 'service', client };
    return this.accounts.transaction(id, async (transaction) => {
      // The id was purged, or another login has opened its account in the meantime.
      if (!transaction.account && transaction.formerAccount) return undefined;
      const account = transaction.account ?? Account.openBySignIn(id, profile);
      if (account.isOfOtherLogin(profile.issuer)) return undefined;
      if (!account.isActive) return account;
      account.updateFromSignIn(profile);
      await saveAccount(transaction, account, actor);
      return account;
    });
  }
}
