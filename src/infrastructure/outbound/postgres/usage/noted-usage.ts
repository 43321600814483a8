import { NotedKey, type NotedUse } from './noted-key.js';

/** What a key that is in constant use did is written again after so many seconds at most, and half as many at least. */
const MOST_REST_SECONDS = 60;
/** Few keys rest less, so that a crash loses little. */
const LEAST_REST_SECONDS = 10;
/** Keys that are written in a second, unless they are so many that a minute does not do. */
const KEYS_A_SECOND = 2000;
/** Keys beyond these are written as often as they are used: a bound on memory, about 75 MB. */
const MOST_RESTING = 150_000;

/** What is to be written when: what a key does first at once, and more of a key that was just written once it has rested. */
export class NotedUsage {
  private readonly keys = new Map<string, NotedKey>();
  /** A timing wheel: every key stands in the slot of the second in which it is looked at. */
  private readonly slots: NotedKey[][] = Array.from({ length: MOST_REST_SECONDS + 1 }, () => []);
  private second = 0;

  /** @param mostResting keys that are remembered */
  constructor(private readonly mostResting = MOST_RESTING) {}

  noteGrant(keyId: string, clientIp: string | null, service: string | null, at: Date): void {
    const key = this.of(keyId);
    // A first use does not wait until a key that was refused has rested.
    if (!key.isUsed) this.lookAtIn(1, key);
    key.noteGrant(clientIp, service, at);
  }

  noteRefusal(keyId: string, at: Date): void {
    const key = this.of(keyId);
    if (key.dueAt === 0) this.lookAtIn(1, key);
    key.noteRefusal(at);
  }

  /** Each second: what is due. */
  takeDue(): NotedUse[] {
    this.second += 1;
    const slot = this.slots[this.second % this.slots.length]!.splice(0);
    return slot.flatMap((key) => {
      // It was moved to an earlier second.
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

  private of(keyId: string): NotedKey {
    const known = this.keys.get(keyId);
    if (known) return known;
    const key = new NotedKey(keyId);
    this.keys.set(keyId, key);
    return key;
  }

  /** Not the same for all, so that they do not come all at once. */
  private restSeconds(): number {
    const most = Math.min(Math.max(this.keys.size / KEYS_A_SECOND, LEAST_REST_SECONDS), MOST_REST_SECONDS);
    return Math.ceil((most * (1 + Math.random())) / 2);
  }

  private lookAtIn(seconds: number, key: NotedKey): void {
    key.dueAt = this.second + seconds;
    this.slots[key.dueAt % this.slots.length]!.push(key);
  }
}
