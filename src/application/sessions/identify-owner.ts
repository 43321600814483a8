import type { Account } from '#domain/accounts/account.js';
import { type Client, failureOf } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Accounts } from '../account-ports.js';
import type { Audit } from '../audit-ports.js';
import type { PlatformTokens, Session, Sessions } from '../sign-in-ports.js';
import type { Refusals } from '../validation-ports.js';

interface IdentityParts {
  readonly sessions: Sessions;
  readonly accounts: Accounts;
  readonly audit: Audit;
  readonly refusals: Refusals;
  readonly tokens: PlatformTokens | undefined;
}

/** Finds the person who manages keys, from a session or from a token of the platform's own login. */
export class IdentifyOwner {
  constructor(private readonly parts: IdentityParts) {}

  get acceptsPlatformTokens(): boolean {
    return this.parts.tokens !== undefined;
  }

  async bySession(token: string, client: Client): Promise<Session | undefined> {
    const session = await this.parts.sessions.find(token);
    if (session && (await isRefused(this.parts.audit, session.account, client))) return undefined;
    return session;
  }

  /** Throws `no_account` for a person whom the platform knows. Anybody else gets no reason. */
  async byPlatformToken(jwt: string, client: Client): Promise<Session | undefined> {
    const bearer = (await this.parts.tokens?.verify(jwt)) ?? { refusal: 'no platform login is configured' };
    if ('refusal' in bearer) return this.refuse(bearer.refusal, client);
    const stored = await this.parts.accounts.find(bearer.accountId);
    const account = stored?.isOfOtherLogin(bearer.issuer) ? undefined : stored;
    if (account && (await isRefused(this.parts.audit, account, client))) return undefined;
    if (account?.isActive) return { account, expiresAt: bearer.expiresAt, signIn: bearer.signIn };
    if (account) return this.refuse(`the account is ${account.status}`, client, account.id);
    await this.refuse(`no account has the id ${bearer.accountId}`, client);
    throw new LatchkeyError(
      'no_account',
      'You are signed in at the platform, but it has not opened an account for you here: ask the people who run it',
    );
  }

  private async refuse(why: string, client: Client, ownerId: string | null = null): Promise<undefined> {
    const failure = failureOf('invalid-token', client, ownerId);
    await this.parts.audit.recordFailure(failure);
    this.parts.refusals.note(failure, { why });
  }
}

/** Only persons have sessions. A service account that is refused one is on the audit trail. */
export async function isRefused(audit: Audit, { id, kind }: Account, client: Client): Promise<boolean> {
  if (kind === 'person') return false;
  await audit.record({ type: 'session.refused', reason: 'service-account', actorId: null, client }, id);
  return true;
}
