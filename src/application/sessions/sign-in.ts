import { ownerDenial, type Account } from '#domain/accounts/account.js';
import { emailKey } from '#domain/accounts/account-profile.js';
import { sessionDigest } from '#domain/accounts/session.js';
import { LatchkeyError } from '#domain/errors.js';
import { FREE_GUESSES_FROM_NETWORK, FREE_GUESSES_TO_ACCOUNT } from '#domain/accounts/passwords.js';
import { accountActor, type AuditEvent, type Client, failureOf } from '#domain/audit/audit-event.js';
import { clientNetwork } from '#domain/ip-address.js';
import type { Confirmation } from './confirmation.js';
import type { PasswordCheck } from './password-check.js';
import type { Audit } from '../audit-ports.js';
import type { Requester, GuessSubject, PlatformLogin, Sessions, Session } from '../sign-in-ports.js';
import type { Ports } from '../ports.js';

interface SignInParts extends Pick<Ports, 'accounts' | 'sessions' | 'passwords' | 'guesses' | 'audit'> {
  readonly check: PasswordCheck;
}

export class SignIn {
  constructor(private readonly parts: SignInParts) {}

  /** Throws the same `invalid_credentials` for an unknown email, a wrong password and an account that is not active. */
  async execute(email: string, password: string, client: Client): Promise<{ token: string; expiresAt: Date }> {
    // A concurrent sign-in may have replaced the hash of the same password: then check once more.
    const session = (await this.attempt(email, password, client)) ?? (await this.attempt(email, password, client));
    if (!session) throw new LatchkeyError('busy', 'The account is being changed: try again', { retryAfterSeconds: 1 });
    return session;
  }

  /** Undefined when the account changed while the password was being checked. */
  private async attempt(email: string, password: string, client: Client) {
    const [account, { subjects, requester }] = await Promise.all([
      this.parts.accounts.findByEmail(email),
      this.origin(email, client),
    ]);
    const guess = { account, email: emailKey(email), password, subjects, requester };
    const { matches, outdated } = await this.parts.check.verify(guess, client);
    const hash = account?.passwordHash;
    if (!matches || !account || !hash) throw invalidCredentials();
    if (!account.isActive) {
      await this.parts.audit.recordFailure(failureOf(ownerDenial(account.status), client, account.id));
      throw invalidCredentials();
    }
    const session = await this.parts.sessions.begin({
      accountId: account.id,
      passwordHash: hash,
      event: sessionOpened(account.id, client),
    });
    if (session && outdated) {
      await this.parts.accounts.rehash(account.id, hash, await this.parts.passwords.hash(password, requester));
    }
    return session;
  }

  /** Guesses from elsewhere can't lock out a network that has signed in to the account before. */
  private async origin(email: string, client: Client): Promise<{ subjects: GuessSubject[]; requester: Requester }> {
    const network = clientNetwork(client.ip);
    const account = `sign-in:${emailKey(email)}`;
    const fromNetwork = { name: `${account}:${network}`, freeGuesses: FREE_GUESSES_FROM_NETWORK };
    const isKnown = await this.parts.guesses.hasSucceeded(fromNetwork.name);
    const subjects = isKnown ? [fromNetwork] : [fromNetwork, { name: account, freeGuesses: FREE_GUESSES_TO_ACCOUNT }];
    return { subjects, requester: { name: network, isKnown } };
  }
}

/** The event of a new session. It is saved in the same transaction. */
export function sessionOpened(accountId: string, client: Client): AuditEvent {
  return { type: 'session.opened', ...accountActor(accountId, client) };
}

function invalidCredentials(): LatchkeyError {
  return new LatchkeyError('invalid_credentials', 'Incorrect email or password');
}

export class SignOut {
  constructor(
    private readonly sessions: Sessions,
    private readonly confirmation: Confirmation,
    private readonly login: PlatformLogin | undefined,
  ) {}

  /** May be repeated. Returns the URL that ends the person's session at the platform too, if there is one. */
  async execute(token: string): Promise<string | undefined> {
    const session = await this.sessions.find(token);
    await this.sessions.endByDigest(sessionDigest(token));
    if (!session || !this.login) return undefined;
    const isByPlatform = session.signIn !== undefined || this.confirmation.kindFor(session.account) !== 'password';
    return isByPlatform ? this.login.signOutUrl() : undefined;
  }
}

type IdentityParts = Pick<Ports, 'sessions' | 'accounts' | 'audit' | 'refusals' | 'platformTokens'>;

/** Finds the person who manages keys, from a session or from a token of the platform's own login. */
export class IdentifyOwner {
  constructor(private readonly parts: IdentityParts) {}

  get acceptsPlatformTokens(): boolean {
    return this.parts.platformTokens !== undefined;
  }

  async bySession(token: string, client: Client): Promise<Session | undefined> {
    const session = await this.parts.sessions.find(token);
    if (session && (await isRefused(this.parts.audit, session.account, client))) return undefined;
    return session;
  }

  /** Throws `no_account` for a person whom the platform knows. Anybody else gets no reason. */
  async byPlatformToken(jwt: string, client: Client): Promise<Session | undefined> {
    const bearer = (await this.parts.platformTokens?.verify(jwt)) ?? { refusal: 'no platform login is configured' };
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
