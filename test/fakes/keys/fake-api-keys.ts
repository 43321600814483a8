import type { KeyList, ReadKey, PageRequest } from '../../../src/application/lists.js';
import type { ApiKeys } from '../../../src/application/ports.js';
import { ApiKey } from '../../../src/domain/keys/api-key.js';
import { type ApiKeyStatus, statusAt } from '../../../src/domain/keys/key-status.js';
import { OwnerKeys } from '../../../src/domain/keys/owner-keys.js';
import type { FakeStore, StoredKey } from '../fake-store.js';
import { pageOf } from '../pages.js';

type KeyState = StoredKey['state'];

export class FakeApiKeys implements ApiKeys {
  constructor(private readonly store: FakeStore) {}

  async find(id: string): Promise<ApiKey | undefined> {
    const stored = this.store.keys.get(id);
    return stored && ApiKey.restore(stored.state);
  }

  async findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]> {
    const found = this.states().filter(({ publicPart }) => publicParts.includes(publicPart));
    return found.map((state) => ApiKey.restore(state));
  }

  async findOwn(ownerId: string, id: string): Promise<ReadKey | undefined> {
    const stored = this.store.keys.get(id);
    if (!stored || stored.isPurged || stored.state.ownerId !== ownerId) return undefined;
    const lastUsedAt = this.store.lastUses.get(id) ?? null;
    return { key: ApiKey.restore(stored.state), lastUsedAt, now: this.store.now() };
  }

  async list(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<KeyList> {
    const now = this.store.now();
    const visible = [...this.store.keys.values()].filter(({ isPurged }) => !isPurged);
    const own = visible.map(({ state }) => state).filter((state) => state.ownerId === ownerId);
    const isShown = (state: KeyState) => status === undefined || statusAt(now, state) === status;
    const { items, nextCursor } = pageOf(own.sort(newestFirst), ({ id }) => id, page, isShown);
    return {
      now,
      activeKeys: new OwnerKeys(own.map((state) => ApiKey.restore(state))).countActive(now),
      items: items.map((state) => ({
        key: ApiKey.restore(state),
        lastUsedAt: this.store.lastUses.get(state.id) ?? null,
      })),
      nextCursor,
    };
  }

  private states(): KeyState[] {
    return [...this.store.keys.values()].map(({ state }) => state);
  }
}

function newestFirst(one: KeyState, other: KeyState): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1);
}
