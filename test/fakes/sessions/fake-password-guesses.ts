import type { PasswordGuesses } from '#application/ports.js';
import { attemptPassword, tooManyAttempts } from '#domain/accounts/passwords.js';
import type { FakeStore, StoredGuesses } from '../fake-store.js';

export function fakePasswordGuesses(store: FakeStore): PasswordGuesses {
  const change = (name: string, make: (known: StoredGuesses) => Partial<StoredGuesses>) => {
    const known = store.guesses.get(name);
    if (known) store.guesses.set(name, { ...known, blockedUntil: null, ...make(known) });
  };
  return {
    count: async (subjects) => {
      const counted = subjects.map(({ name, policy }) => {
        const known = store.guesses.get(name);
        const decision = attemptPassword(policy, known, store.now());
        if (!decision.admitted) throw tooManyAttempts(decision.retryAfterSeconds);
        return [name, { ...decision.state, hasSucceeded: known?.hasSucceeded ?? false }] as const;
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
