import type {
  DueKeys,
  DueScope,
  EndedKeys,
  ExpiringKey,
  ExpiryNotice,
  ExpiryWindow,
  UnusedSuccessor,
} from '../../../src/application/ports.js';
import { ApiKey } from '../../../src/domain/keys/api-key.js';
import { dueEnd } from '../../../src/domain/keys/key-status.js';
import type { KeyNotice } from '../../../src/domain/notices/key-notice.js';
import { DAY_MS } from '../../../src/domain/time.js';
import type { FakeStore, StoredKey } from '../fake-store.js';
import { keyRow } from '../locks.js';
import { writeOutbox } from '../notices/write-outbox.js';

type KeyState = StoredKey['state'];

export class FakeDueKeys implements DueKeys {
  constructor(private readonly store: FakeStore) {}

  /** Reads the keys again once all are locked: another call may have been faster. */
  async end(scope: DueScope, decide: (due: readonly ApiKey[], now: Date) => EndedKeys): Promise<number> {
    this.store.requireRecord();
    const ids = this.due(scope).map(({ id }) => id);
    const letGo: (() => void)[] = [];
    for (const id of [...ids].sort()) letGo.push(await this.store.locks.take(keyRow(id)));
    try {
      const due = this.due(scope, false).filter(({ id }) => ids.includes(id));
      const { keys, events, notices } = decide(
        due.map((state) => ApiKey.restore(state)),
        this.store.now(),
      );
      for (const key of keys) this.store.keys.set(key.id, { ...this.store.keys.get(key.id)!, state: key.snapshot() });
      for (const { ownerId, event } of events) this.store.addEvents(this.store.newChange(ownerId, event));
      writeOutbox(this.store, notices);
      return keys.length;
    } finally {
      for (const free of letGo) free();
    }
  }

  async notifyOfExpiry(
    { day, limit }: ExpiryWindow,
    decide: (due: readonly ExpiringKey[], now: Date) => readonly ExpiryNotice[],
  ): Promise<number> {
    const { toldExpiries } = this.store;
    const now = this.store.now();
    const isMeant = (key: ApiKey) => Math.ceil((key.snapshot().expiresAt.getTime() - now.getTime()) / DAY_MS) === day;
    const due = this.activeKeys().filter(isMeant);
    const all = due.map((key) => ({ key, notifiedDays: toldExpiries.get(key.id) }));
    const decided = decide(all, now).slice(0, limit);
    for (const { notice, notifiedDays } of decided) toldExpiries.set(notice.key.id, notifiedDays);
    writeOutbox(
      this.store,
      decided.map(({ notice }) => notice),
    );
    return decided.length;
  }

  async notifyOfUnusedRotation(
    limit: number,
    decide: (due: readonly UnusedSuccessor[], now: Date) => readonly KeyNotice[],
  ): Promise<number> {
    const { toldRotations } = this.store;
    const keys = this.activeKeys();
    const due = keys.flatMap((successor) => {
      const replaced = keys.find(({ id }) => id === successor.replaces);
      return replaced ? [{ successor, replaced, isNotified: toldRotations.has(successor.id) }] : [];
    });
    const notices = decide(due, this.store.now()).slice(0, limit);
    for (const { key } of notices) toldRotations.add(key.id);
    writeOutbox(this.store, notices);
    return notices.length;
  }

  private due(scope: DueScope, isFree = true): KeyState[] {
    const due = this.states().filter((state) => dueEnd(this.store.now(), state));
    if ('keyId' in scope) return due.filter(({ id }) => id === scope.keyId);
    if ('ownerId' in scope) return due.filter(({ ownerId }) => ownerId === scope.ownerId);
    const free = isFree ? due.filter(({ id }) => !this.store.locks.isHeld(keyRow(id))) : due;
    const oldestFirst = free.sort((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
    return isFree ? oldestFirst.slice(0, scope.limit) : oldestFirst;
  }

  /** Of active owners. */
  private activeKeys(): ApiKey[] {
    const all = this.states().map((state) => ApiKey.restore(state));
    const isActive = (key: ApiKey) => key.status(this.store.now()) === 'active';
    return all.filter((key) => isActive(key) && this.store.account(key.ownerId)?.isActive);
  }

  private states(): KeyState[] {
    return [...this.store.keys.values()].map(({ state }) => state);
  }
}
