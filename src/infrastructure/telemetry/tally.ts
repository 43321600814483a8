/** Seconds: from an idle machine's read of one key to the patience of people. */
const DURATIONS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A histogram in plain numbers: to observe a value costs nanoseconds, since the validation path
 * does it. What Prometheus reads is made from it when the page is made.
 */
export class Tally {
  private readonly bounds: Float64Array;
  /** One for each bound, one for what lies above them all, and the sum of what was observed. */
  private readonly numbers: Float64Array;

  /** @param bounds ascending; a value that equals one counts below it */
  constructor(bounds: readonly number[] = DURATIONS) {
    this.bounds = Float64Array.from(bounds);
    this.numbers = new Float64Array(bounds.length + 2);
  }

  observe(value: number): void {
    const { bounds, numbers } = this;
    let index = 0;
    while (index < bounds.length && value > bounds[index]!) index += 1;
    numbers[index]! += 1;
    numbers[bounds.length + 1]! += value;
  }

  /** The time since `begun`, a reading of performance.now(). */
  observeSince(begun: number): void {
    this.observe((performance.now() - begun) / 1000);
  }

  get isUsed(): boolean {
    return this.numbers.some((count, index) => count > 0 && index <= this.bounds.length);
  }

  get sum(): number {
    return this.numbers[this.bounds.length + 1]!;
  }

  /** For each bound, and for +Inf, how many values were not above it. */
  cumulative(): [bound: string, count: number][] {
    let count = 0;
    return [...this.bounds, Infinity].map((bound, index) => {
      count += this.numbers[index]!;
      return [bound === Infinity ? '+Inf' : String(bound), count];
    });
  }
}
