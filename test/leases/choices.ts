// Read once: where Jest runs code, each use of a global costs as much as ten multiplications.
const { imul } = Math;

/** Every choice of a schedule, in order. 0 is always the simplest: no fault, no delay. So a schedule can be shrunk. */
export class Choices {
  readonly made: number[] = [];

  private constructor(private readonly next: (most: number) => number) {}

  static seeded(seed: number): Choices {
    let state = imul(seed + 1, 0x9e3779b9) | 0;
    return new Choices((most) => {
      // Mulberry32, by Tommy Ettinger.
      state = (state + 0x6d2b79f5) | 0;
      let mixed = imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
    });
  }

  static replayed(made: readonly number[]): Choices {
    let index = 0;
    return new Choices((most) => Math.min(made[index++] ?? 0, most - 1));
  }

  /** A whole number from 0 to `most` - 1. */
  below(most: number): number {
    const chosen = this.next(most);
    this.made.push(chosen);
    return chosen;
  }

  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** A time, in steps of a thousandth of the range. */
  between(least: number, most: number): number {
    return least + ((most - least) * this.below(1000)) / 1000;
  }
}

/** The shortest list of choices that was found to fail as well: it leaves out choices, and makes others simpler. */
export function shrink(
  made: readonly number[],
  fails: (made: readonly number[]) => boolean,
  mostRuns = 4000,
): number[] {
  let best = [...made];
  let runs = 0;
  const attempt = (candidate: number[]) => {
    if ((runs += 1) > mostRuns || !fails(candidate)) return false;
    best = candidate;
    return true;
  };
  for (let isShorter = true; isShorter;) {
    isShorter = false;
    for (let size = Math.max(1, best.length >> 1); size >= 1; size >>= 1) {
      for (let at = 0; at < best.length; at += size) {
        if (attempt([...best.slice(0, at), ...best.slice(at + size)])) isShorter = true;
        else if (best.slice(at, at + size).some((each) => each > 0)) {
          const zeroed = best.map((each, index) => (index >= at && index < at + size ? 0 : each));
          if (attempt(zeroed)) isShorter = true;
        }
      }
    }
  }
  return best;
}
