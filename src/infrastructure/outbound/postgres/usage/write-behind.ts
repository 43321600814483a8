import { LatchkeyError } from '#domain/errors.js';
import { OTHER_PERMISSIONS, type PermissionUse, PermissionUses } from '#domain/usage/permission-use.js';
import { NotedKey, type NotedUse } from './noted-key.js';
import { MAX_PERMISSIONS } from './noted-usage.js';
import { type UsageParts, writeUsage } from './usage-writer.js';

/** Keys in a transaction. This many take some milliseconds, and validations run between its statements. */
const KEYS_A_TRANSACTION = 2000;
/** Limits memory while PostgreSQL can't be written to: usage of further keys is dropped. */
const MAX_UNWRITTEN = 150_000;

/** Usage on its way to PostgreSQL. What a flush fails to write is kept for the next one. */
export class WriteBehind {
  private readonly unwritten = new Map<string, NotedUse>();
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: UsageParts) {}

  get size(): number {
    return this.unwritten.size;
  }

  /** Never rejects. Flushes run one after the other, so that they use at most one connection. */
  write(uses: readonly NotedUse[]): Promise<void> {
    this.keep(uses);
    this.flushing = this.flushing.then(() => this.writeAll());
    return this.flushing;
  }

  private keep(uses: readonly NotedUse[]): void {
    let room = MAX_PERMISSIONS;
    for (const { permissions } of this.unwritten.values()) room -= permissions.length;
    for (const each of uses) {
      room -= each.permissions.length;
      const use = room < 0 ? { ...each, permissions: inOne(each.permissions) } : each;
      const known = this.unwritten.get(use.keyId);
      if (known) this.unwritten.set(use.keyId, together(known, use));
      else if (this.unwritten.size < MAX_UNWRITTEN) this.unwritten.set(use.keyId, use);
    }
  }

  private async writeAll(): Promise<void> {
    const all = [...this.unwritten.values()];
    this.unwritten.clear();
    while (all.length > 0) {
      const left = await this.writeBatch(all.splice(0, KEYS_A_TRANSACTION));
      if (left.length > 0) return this.keep([...left, ...all]);
    }
  }

  /** A row that PostgreSQL refuses is dropped, and does not keep the others from being written. */
  private async writeHalves(batch: readonly NotedUse[]): Promise<readonly NotedUse[]> {
    if (batch.length === 1) return [];
    const half = Math.ceil(batch.length / 2);
    return [...(await this.writeBatch(batch.slice(0, half))), ...(await this.writeBatch(batch.slice(half)))];
  }

  /** Returns what still has to be written. */
  private async writeBatch(batch: readonly NotedUse[]): Promise<readonly NotedUse[]> {
    let isWritten = false;
    try {
      await this.parts.database.transaction(async (manager) => {
        await writeUsage(manager, batch, this.parts);
        isWritten = true;
      });
      return [];
    } catch (error) {
      this.parts.onError(error);
      const isUnavailable = error instanceof LatchkeyError && error.code === 'unavailable';
      if (!isUnavailable) return this.writeHalves(batch);
      // If only the COMMIT failed, it may have succeeded with its answer lost. Then the counts are dropped: they may be
      // lost, but they are never counted twice. Everything else can be written again.
      return isWritten ? batch.map((use) => ({ ...use, days: [], permissions: [] })) : batch;
    }
  }
}

function inOne(permissions: readonly PermissionUse[]): readonly PermissionUse[] {
  const others = new PermissionUses();
  for (const { firstDay, lastDay, count } of permissions) others.note(OTHER_PERMISSIONS, firstDay, lastDay, count);
  return others.take();
}

function together(one: NotedUse, other: NotedUse): NotedUse {
  const both = new NotedKey(one.keyId);
  both.add(one);
  both.add(other);
  return both.take()[0]!;
}
