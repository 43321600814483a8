import type { DueNotices } from '../../../src/application/ports.js';
import { ApiKey } from '../../../src/domain/keys/api-key.js';
import { dueExpiryNotice } from '../../../src/domain/notices/coming-expiry.js';
import { isRotationUnused } from '../../../src/domain/notices/rotation-unused.js';
import { DAY_MS } from '../../../src/domain/time.js';
import type { FakeStore } from '../fake-store.js';
import { writeOutbox } from './write-outbox.js';

export class FakeDueNotices implements DueNotices {
  constructor(private readonly store: FakeStore) {}

  async tellComingExpiries(noticeDays: readonly number[], day: number, limit: number): Promise<number> {
    const { toldExpiries } = this.store;
    const leftDays = (key: ApiKey) => (key.snapshot().expiresAt.getTime() - this.store.now().getTime()) / DAY_MS;
    const meant = this.keys().filter((key) => leftDays(key) > day - 1 && leftDays(key) <= day);
    const due = meant.flatMap((key) => {
      const days = dueExpiryNotice(key.snapshot(), noticeDays, toldExpiries.get(key.id), this.store.now());
      return days === undefined ? [] : [{ key, days }];
    });
    const told = due.slice(0, limit);
    for (const { key, days } of told) toldExpiries.set(key.id, days);
    writeOutbox(
      this.store,
      told.map(({ key }) => ({ type: 'api_key.expiring', key })),
    );
    return told.length;
  }

  async tellUnusedRotations(limit: number): Promise<number> {
    const { toldRotations } = this.store;
    const keys = this.keys();
    const pairs = keys.flatMap((key) => {
      const replaced = keys.find(({ id }) => id === key.replaces);
      return replaced && isRotationUnused(key, replaced, this.store.now()) ? [{ key, replacesKeyId: replaced.id }] : [];
    });
    const told = pairs.filter(({ key }) => !toldRotations.has(key.id)).slice(0, limit);
    for (const { key } of told) toldRotations.add(key.id);
    writeOutbox(
      this.store,
      told.map((pair) => ({ type: 'api_key.rotation_unused', ...pair })),
    );
    return told.length;
  }

  /** Active ones of active owners. */
  private keys(): ApiKey[] {
    const all = [...this.store.keys.values()].map(({ state }) => ApiKey.restore(state));
    const isActive = (key: ApiKey) => key.status(this.store.now()) === 'active';
    return all.filter((key) => isActive(key) && this.store.account(key.ownerId)?.isActive);
  }
}
