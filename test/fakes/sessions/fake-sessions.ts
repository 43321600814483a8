import { randomUUID } from 'node:crypto';
import { Sessions, type Session } from '../../../src/application/ports.js';
import { NO_CLIENT } from '../../../src/domain/audit/audit-event.js';
import { SESSION_HOURS } from '../../../src/domain/accounts/session.js';
import { HOUR_MS } from '../../../src/domain/time.js';
import type { FakeStore } from '../fake-store.js';
import { accountRow } from '../locks.js';

export class FakeSessions extends Sessions {
  constructor(private readonly store: FakeStore) {
    super();
  }

  begin(accountId: string, passwordHash: string, { ip, userAgent, requestId } = NO_CLIENT) {
    return this.store.locks.holding(accountRow(accountId), () => {
      const account = this.store.account(accountId);
      if (!account?.isActive || account.passwordHash !== passwordHash) return undefined;
      const token = randomUUID();
      const expiresAt = new Date(this.store.now().getTime() + SESSION_HOURS * HOUR_MS);
      const from = { clientIp: ip, userAgent, requestId };
      const opened = { type: 'session.opened', ownerId: accountId, actorId: accountId, ...from };
      this.store.addEvents(this.store.newEvent(opened));
      this.store.sessions.set(token, { accountId, expiresAt });
      return { token, expiresAt };
    });
  }

  async find(token: string): Promise<Session | undefined> {
    const session = this.store.sessions.get(token);
    if (!session || session.expiresAt <= this.store.now()) return undefined;
    const account = this.store.account(session.accountId);
    return account?.isActive ? { account, expiresAt: session.expiresAt } : undefined;
  }

  async end(token: string): Promise<void> {
    this.store.sessions.delete(token);
  }
}
