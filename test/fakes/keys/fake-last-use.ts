import { LastUse } from '../../../src/application/ports.js';
import type { FakeStore } from '../fake-store.js';

/** Written at once, which is soon enough. */
export class FakeLastUse extends LastUse {
  constructor(private readonly store: FakeStore) {
    super();
  }

  note(keyId: string, at: Date): void {
    const known = this.store.lastUses.get(keyId);
    if (!known || known < at) this.store.lastUses.set(keyId, at);
  }
}
