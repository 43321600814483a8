import type { GuessSubject, PasswordGuesses } from '../../../src/application/ports.js';
import { attemptPassword, tooManyAttempts } from '../../../src/domain/accounts/password-throttle.js';
import type { FakeStore, StoredGuesses } from '../fake-store.js';

export class FakePasswordGuesses implements PasswordGuesses {
  constructor(private readonly store: FakeStore) {}

  async count(subjects: readonly GuessSubject[]): Promise<void> {
    const counted: [string, StoredGuesses][] = [];
    for (const { name, policy } of subjects) {
      const known = this.store.guesses.get(name);
      const decision = attemptPassword(policy, known, this.store.now());
      if (!decision.admitted) throw tooManyAttempts(decision.retryAfterSeconds);
      counted.push([name, { ...decision.state, hasSucceeded: known?.hasSucceeded ?? false }]);
    }
    for (const [name, guesses] of counted) this.store.guesses.set(name, guesses);
  }

  async forgive([first, ...others]: readonly GuessSubject[]): Promise<void> {
    if (first) this.change(first.name, () => ({ failures: 0, hasSucceeded: true }));
    for (const { name } of others) this.change(name, ({ failures }) => ({ failures: Math.max(0, failures - 1) }));
  }

  async hasSucceeded(name: string): Promise<boolean> {
    return this.store.guesses.get(name)?.hasSucceeded ?? false;
  }

  private change(name: string, make: (known: StoredGuesses) => Partial<StoredGuesses>): void {
    const known = this.store.guesses.get(name);
    if (known) this.store.guesses.set(name, { ...known, blockedUntil: null, ...make(known) });
  }
}
