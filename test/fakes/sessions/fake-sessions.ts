import { randomUUID } from 'node:crypto';
import type { Session, SessionOpening, Sessions } from '../../../src/application/ports.js';
import { SESSION_HOURS, sessionDigest } from '../../../src/domain/accounts/session.js';
import { HOUR_MS } from '../../../src/domain/time.js';
import type { FakeStore } from '../fake-store.js';
import { accountRow } from '../locks.js';

export class FakeSessions implements Sessions {
  constructor(private readonly store: FakeStore) {}

  begin({ accountId, passwordHash, signIn, event }: SessionOpening) {
    return this.store.locks.holding(accountRow(accountId), () => {
      const account = this.store.account(accountId);
      if (!account?.isActive || (passwordHash !== undefined && account.passwordHash !== passwordHash)) return undefined;
      const token = randomUUID();
      const expiresAt = new Date(this.store.now().getTime() + SESSION_HOURS * HOUR_MS);
      this.store.addEvents(this.store.newChange(accountId, event));
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
