import { randomUUID } from 'node:crypto';
import type { Sessions, Session } from '../../../src/application/ports.js';
import { NO_CLIENT, type Client } from '../../../src/domain/audit/audit-event.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import type { PlatformSignIn } from '../../../src/domain/accounts/fresh-sign-in.js';
import { SESSION_HOURS, sessionDigest } from '../../../src/domain/accounts/session.js';
import { HOUR_MS } from '../../../src/domain/time.js';
import type { FakeStore } from '../fake-store.js';
import { accountRow } from '../locks.js';

export class FakeSessions implements Sessions {
  constructor(private readonly store: FakeStore) {}

  begin(accountId: string, passwordHash: string, client = NO_CLIENT) {
    return this.open(accountId, (account) => account.passwordHash === passwordHash, undefined, client);
  }

  beginSignedIn(accountId: string, signIn: PlatformSignIn, client = NO_CLIENT) {
    return this.open(accountId, () => true, signIn, client);
  }

  private open(
    accountId: string,
    mayEnter: (account: Account) => boolean,
    signIn: PlatformSignIn | undefined,
    { ip, userAgent, requestId }: Client,
  ) {
    return this.store.locks.holding(accountRow(accountId), () => {
      const account = this.store.account(accountId);
      if (!account?.isActive || !mayEnter(account)) return undefined;
      const token = randomUUID();
      const expiresAt = new Date(this.store.now().getTime() + SESSION_HOURS * HOUR_MS);
      const from = { clientIp: ip, userAgent, requestId };
      const opened = { type: 'session.opened', ownerId: accountId, actorId: accountId, ...from };
      this.store.addEvents(this.store.newEvent(opened));
      this.store.sessions.set(token, { accountId, expiresAt, signIn });
      return { token, expiresAt };
    });
  }

  async find(token: string): Promise<Session | undefined> {
    const session = this.store.sessions.get(token);
    if (!session || session.expiresAt <= this.store.now()) return undefined;
    const account = this.store.account(session.accountId);
    return account?.isActive ? { account, expiresAt: session.expiresAt, signIn: session.signIn } : undefined;
  }

  async end(token: string): Promise<void> {
    this.store.sessions.delete(token);
  }

  async endByDigest(digest: string): Promise<void> {
    for (const token of this.store.sessions.keys()) {
      if (sessionDigest(token) === digest) this.store.sessions.delete(token);
    }
  }
}
