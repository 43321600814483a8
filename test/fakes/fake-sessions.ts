import { randomUUID } from 'node:crypto';
import type { Sessions, PasswordGuesses, SpentSignIns } from '#application/sign-in-ports.js';
import { SESSION_HOURS, sessionDigest } from '#domain/accounts/session.js';
import { HOUR_MS } from '#domain/time.js';
import type { FakeStore, StoredGuesses } from './fake-store.js';
import { attemptPassword } from '#domain/accounts/passwords.js';

export function fakeSessions(store: FakeStore): Sessions {
  return {
    begin: ({ accountId, passwordHash, signIn, event }) =>
      store.transaction(() => {
        const account = store.account(accountId);
        const isSame = passwordHash === undefined || account?.passwordHash === passwordHash;
        if (!account?.isActive || !isSame) return undefined;
        const token = randomUUID();
        const expiresAt = store.in(SESSION_HOURS * HOUR_MS);
        store.addChange(accountId, event);
        store.sessions.set(token, { accountId, expiresAt, signIn });
        return { token, expiresAt };
      }),
    find: async (token) => {
      const session = store.sessions.get(token);
      if (!session || session.expiresAt <= store.now()) return undefined;
      const account = store.account(session.accountId);
      return account?.isActive ? { account, expiresAt: session.expiresAt, signIn: session.signIn } : undefined;
    },
    endByDigest: (digest) =>
      store.transaction(() => {
        const tokens = [...store.sessions.keys()].filter((token) => sessionDigest(token) === digest);
        for (const token of tokens) store.sessions.delete(token);
      }),
  };
}

export function fakePasswordGuesses(store: FakeStore): PasswordGuesses {
  const change = (name: string, make: (known: StoredGuesses) => Partial<StoredGuesses>) => {
    const known = store.guesses.get(name);
    if (known) store.guesses.set(name, { ...known, blockedUntil: null, ...make(known) });
  };
  return {
    count: async (subjects) => {
      const counted = subjects.map(({ name, freeGuesses }) => {
        const known = store.guesses.get(name);
        const state = attemptPassword(freeGuesses, known, store.now());
        return [name, { ...state, hasSucceeded: known?.hasSucceeded ?? false }] as const;
      });
      for (const [name, guesses] of counted) store.guesses.set(name, guesses);
    },
    forgive: async ([first, ...others]) => {
      if (first) change(first.name, () => ({ failures: 0, hasSucceeded: true }));
      for (const { name } of others) change(name, ({ failures }) => ({ failures: Math.max(0, failures - 1) }));
    },
    hasSucceeded: async (name) => store.guesses.get(name)?.hasSucceeded ?? false,
  };
}

export function fakeSpentSignIns(): SpentSignIns {
  const spent = new Set<string>();
  return {
    spend: async (state) => {
      const isFirst = !spent.has(state);
      spent.add(state);
      return isFirst;
    },
  };
}
