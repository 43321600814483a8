import { emailKey, ownerRefusal } from '../../domain/accounts/account.js';
import { LatchkeyError } from '../../domain/errors.js';
import { SIGN_IN_FROM_NETWORK, SIGN_IN_TO_ACCOUNT } from '../../domain/accounts/password-throttle.js';
import { type Client, sessionOpened } from '../../domain/audit/audit-event.js';
import { clientNetwork } from '../../domain/audit/client-network.js';
import type { PasswordCheck } from './password-check.js';
import type { Accounts, Asker, Audit, GuessSubject, PasswordGuesses, Passwords, Sessions } from '../ports.js';

export class SignIn {
  constructor(
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
    private readonly passwords: Passwords,
    private readonly guesses: PasswordGuesses,
    private readonly check: PasswordCheck,
    private readonly audit: Audit,
  ) {}

  /** Throws `invalid_credentials` alike for an unknown email, a wrong password and an account that is not active. */
  async execute(email: string, password: string, client: Client): Promise<{ token: string; expiresAt: Date }> {
    // Another sign-in may have replaced the hash of the same password in between: look once more, at what is stored now.
    const session = (await this.attempt(email, password, client)) ?? (await this.attempt(email, password, client));
    if (!session) throw new LatchkeyError('busy', 'The account is being changed: try again', { retryAfterSeconds: 1 });
    return session;
  }

  /** Undefined when the account changed while the password was looked at. */
  private async attempt(email: string, password: string, client: Client) {
    const [account, { subjects, asker }] = await Promise.all([
      this.accounts.findByEmail(email),
      this.origin(email, client),
    ]);
    const guess = { account, email: emailKey(email), password, subjects, asker };
    const { matches, outdated } = await this.check.verify(guess, client);
    const hash = account?.passwordHash;
    if (!matches || !account || !hash) throw invalidCredentials();
    if (!account.isActive) {
      const reason = ownerRefusal(account.status);
      await this.audit.recordFailure({ reason, client, ownerId: account.id, keyId: null, publicPart: null });
      throw invalidCredentials();
    }
    const session = await this.sessions.begin({
      accountId: account.id,
      passwordHash: hash,
      event: sessionOpened(account.id, client),
    });
    if (session && outdated) {
      await this.accounts.rehash(account.id, hash, await this.passwords.hash(password, asker));
    }
    return session;
  }

  /**
   * A network that has signed in to the account before is spared the ceiling and the strangers' budget, so that guesses
   * from elsewhere can't keep it out.
   */
  private async origin(email: string, client: Client): Promise<{ subjects: GuessSubject[]; asker: Asker }> {
    const network = clientNetwork(client.ip);
    const account = `sign-in:${emailKey(email)}`;
    const fromNetwork = { name: `${account}:${network}`, policy: SIGN_IN_FROM_NETWORK };
    const isKnown = await this.guesses.hasSucceeded(fromNetwork.name);
    const subjects = isKnown ? [fromNetwork] : [fromNetwork, { name: account, policy: SIGN_IN_TO_ACCOUNT }];
    return { subjects, asker: { name: network, isKnown } };
  }
}

function invalidCredentials(): LatchkeyError {
  return new LatchkeyError('invalid_credentials', 'Incorrect email or password');
}
