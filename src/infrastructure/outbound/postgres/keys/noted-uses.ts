/** A key in constant use is written again after so many seconds at most; half as many at least, so that not all come at once. */
const REST_SECONDS = 60;
/** Keys beyond these are written as often as they are used: a bound on memory, about 20 MB. */
const MOST_RESTING = 150_000;

interface Use {
  readonly keyId: string;
  /** A number, which is changed in place: a date would be garbage of every request, and outlive it. */
  atMs: number;
  /** There was no use since the one that was handed out last. */
  isTaken: boolean;
}

/** Which last uses are to be written when: a first use at once, those of a key that was just written once it has rested. */
export class NotedUses {
  private readonly uses = new Map<string, Use>();
  /** A timing wheel: every use stands in the slot of the second in which it is looked at. */
  private readonly slots: Use[][] = Array.from({ length: REST_SECONDS + 1 }, () => []);
  private second = 0;

  note(keyId: string, at: Date): void {
    const atMs = at.getTime();
    const known = this.uses.get(keyId);
    if (known) {
      if (known.atMs >= atMs) return;
      known.atMs = atMs;
      known.isTaken = false;
      return;
    }
    const use = { keyId, atMs, isTaken: false };
    this.uses.set(keyId, use);
    this.lookAtIn(1, use);
  }

  /** Each second: what is due. */
  takeDue(): [keyId: string, at: Date][] {
    this.second += 1;
    const due = this.slots[this.second % this.slots.length]!.splice(0);
    return due.flatMap((use) => {
      const isResting = !use.isTaken && this.uses.size <= MOST_RESTING;
      if (isResting) this.lookAtIn(Math.ceil((REST_SECONDS * (1 + Math.random())) / 2), use);
      else this.uses.delete(use.keyId);
      return take(use);
    });
  }

  takeAll(): [keyId: string, at: Date][] {
    return [...this.uses.values()].flatMap(take);
  }

  private lookAtIn(seconds: number, use: Use): void {
    this.slots[(this.second + seconds) % this.slots.length]!.push(use);
  }
}

function take(use: Use): [keyId: string, at: Date][] {
  if (use.isTaken) return [];
  use.isTaken = true;
  return [[use.keyId, new Date(use.atMs)]];
}
