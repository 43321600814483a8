import type { DeniedUse } from '#application/validation-ports.js';
import { NotedKey, type NotedUse } from './noted-key.js';

/** A key in constant use is written again after at most this many seconds, and after half as many at least. */
const MAX_REST_SECONDS = 60;
/** With few keys the pause is only this long, so that a crash loses little. */
const LEAST_REST_SECONDS = 10;
/** Keys to write in a second. With so many keys that a minute is not enough, more are written. */
const KEYS_A_SECOND = 2000;
/** Beyond this number, keys are forgotten after each write, or try of one. Limits memory to about 75 MB. */
const MAX_RESTING = 150_000;

/** Permissions of all keys since their last writes. What is beyond is counted in one for each key, so that memory is limited. */
const MAX_PERMISSIONS = 400_000;

/** Decides when a key is written: at its first use at once, and after that only once the pause is over. */
export class NotedUsage {
  private readonly keys = new Map<string, NotedKey>();
  /** A timing wheel: each key is in the slot of the second in which it is looked at. */
  private readonly slots: NotedKey[][] = Array.from({ length: MAX_REST_SECONDS + 1 }, () => []);
  private second = 0;
  private readonly room = { left: MAX_PERMISSIONS };

  /** @param mostResting keys to keep in memory after a write */
  constructor(private readonly mostResting = MAX_RESTING) {}

  noteGrant(keyId: string, clientIp: string | null, service: string | null, at: Date, used?: string, count = 1): void {
    const key = this.of(keyId);
    // A first grant does not wait for the pause that started with an earlier refusal.
    if (!key.isUsed) this.lookAtIn(1, key);
    key.noteGrant(clientIp, service, at, used, count);
  }

  noteDenial(keyId: string, at: Date, denied?: DeniedUse): void {
    const key = this.of(keyId);
    if (key.dueAt === 0) this.lookAtIn(1, key);
    key.noteDenial(at, denied);
  }

  /** How many keys have uses that were due and could not be written. */
  get unwritten(): number {
    let count = 0;
    for (const { isLate } of this.keys.values()) if (isLate) count += 1;
    return count;
  }

  /** Call it every second. Returns what is due. */
  takeDue(): NotedUse[] {
    this.second += 1;
    const slot = this.slots[this.second % this.slots.length]!.splice(0);
    return slot.flatMap((key) => {
      // The key was moved to an earlier second.
      if (key.dueAt !== this.second) return [];
      const isResting = key.hasNews && this.keys.size <= this.mostResting;
      if (isResting) this.lookAtIn(this.restSeconds(), key);
      else this.keys.delete(key.keyId);
      return key.take();
    });
  }

  takeAll(): NotedUse[] {
    return [...this.keys.values()].flatMap((key) => key.take());
  }

  /** Adds what could not be written, which is due again after a pause. What memory has no room for is dropped. */
  putBack(uses: readonly NotedUse[]): void {
    for (const use of uses) {
      if (!this.keys.has(use.keyId) && this.keys.size >= this.mostResting) continue;
      const key = this.of(use.keyId);
      key.add(use);
      this.lookAtIn(this.restSeconds(), key);
    }
  }

  private of(keyId: string): NotedKey {
    const known = this.keys.get(keyId);
    if (known) return known;
    const key = new NotedKey(keyId, this.room);
    this.keys.set(keyId, key);
    return key;
  }

  /** Random, so that keys are not all written in the same second. */
  private restSeconds(): number {
    const most = Math.min(Math.max(this.keys.size / KEYS_A_SECOND, LEAST_REST_SECONDS), MAX_REST_SECONDS);
    return Math.ceil((most * (1 + Math.random())) / 2);
  }

  private lookAtIn(seconds: number, key: NotedKey): void {
    key.dueAt = this.second + seconds;
    this.slots[key.dueAt % this.slots.length]!.push(key);
  }
}
