import { randomUUID } from 'node:crypto';
import type { Sessions } from '#application/ports.js';
import { SESSION_HOURS, sessionDigest } from '#domain/accounts/session.js';
import { HOUR_MS } from '#domain/time.js';
import type { FakeStore } from '../fake-store.js';

export function fakeSessions(store: FakeStore): Sessions {
  const endByDigest = (digest: string) =>
    store.transaction(() => {
      const tokens = [...store.sessions.keys()].filter((token) => sessionDigest(token) === digest);
      for (const token of tokens) store.sessions.delete(token);
    });
  return {
    begin: ({ accountId, passwordHash, signIn, event }) =>
      store.transaction(() => {
        const account = store.account(accountId);
        const isSame = passwordHash === undefined || account?.passwordHash === passwordHash;
        if (!account?.isActive || !isSame) return undefined;
        const token = randomUUID();
        const expiresAt = new Date(store.now().getTime() + SESSION_HOURS * HOUR_MS);
        store.addEvents(store.newChange(accountId, event));
        store.sessions.set(token, { accountId, expiresAt, signIn });
        return { token, expiresAt };
      }),
    find: async (token) => {
      const session = store.sessions.get(token);
      if (!session || session.expiresAt <= store.now()) return undefined;
      const account = store.account(session.accountId);
      return account?.isActive ? { account, expiresAt: session.expiresAt, signIn: session.signIn } : undefined;
    },
    end: (token) => endByDigest(sessionDigest(token)),
    endByDigest,
  };
}
