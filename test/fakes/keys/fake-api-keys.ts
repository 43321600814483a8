import type { KeyList, ReadKey } from '../../../src/application/listed-key.js';
import type { PageRequest } from '../../../src/application/page.js';
import type { ApiKeys } from '../../../src/application/ports.js';
import { ApiKey } from '../../../src/domain/keys/api-key.js';
import { type ApiKeyStatus, dueEnd, statusAt } from '../../../src/domain/keys/key-status.js';
import { endedByClock } from '../../../src/domain/keys/key-change.js';
import { OwnerKeys } from '../../../src/domain/keys/owner-keys.js';
import type { FakeStore, StoredKey } from '../fake-store.js';
import { keyRow } from '../locks.js';
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

  async recordDueEnds(scope: { keyId: string } | { ownerId: string }): Promise<void> {
    const isMeant = ({ id, ownerId }: KeyState) => ('keyId' in scope ? id === scope.keyId : ownerId === scope.ownerId);
    await this.record(this.due().filter(isMeant));
  }

  async sweepDueEnds(limit: number): Promise<number> {
    const free = this.due().filter(({ id }) => !this.store.locks.isHeld(keyRow(id)));
    const oldestFirst = free.sort((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
    return this.record(oldestFirst.slice(0, limit));
  }

  /** Looks once more once all are locked: another may have been faster. */
  private async record(due: readonly KeyState[]): Promise<number> {
    this.store.requireRecord();
    const ids = due.map(({ id }) => id).sort();
    const letGo: (() => void)[] = [];
    for (const id of ids) letGo.push(await this.store.locks.take(keyRow(id)));
    try {
      const stillDue = this.due().filter(({ id }) => ids.includes(id));
      for (const key of stillDue.map((state) => ApiKey.restore(state))) {
        const change = endedByClock(key, key.endIfDue(this.store.now())!);
        const reason = change.became === 'revoked' ? change.reason : null;
        const event = { type: `api_key.${change.became}`, ownerId: key.ownerId, keyId: key.id, reason };
        this.store.addEvents(this.store.newEvent(event));
        this.store.keys.set(key.id, { ...this.store.keys.get(key.id)!, state: key.snapshot() });
      }
      return stillDue.length;
    } finally {
      for (const free of letGo) free();
    }
  }

  private due(): KeyState[] {
    return this.states().filter((state) => dueEnd(this.store.now(), state));
  }

  private states(): KeyState[] {
    return [...this.store.keys.values()].map(({ state }) => state);
  }
}

function newestFirst(one: KeyState, other: KeyState): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1);
}
