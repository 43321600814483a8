/** In seconds, from one read of a key on an idle machine to the longest time that people wait. */
const DURATIONS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10];

/** A histogram in plain numbers. Observing a value takes nanoseconds, because it happens on the validation path. */
export class Tally {
  private readonly bounds: Float64Array;
  /** One count for each bound, one for everything above, and the sum of all observed values. */
  private readonly numbers: Float64Array;

  /** @param bounds ascending; a value equal to a bound counts as below it */
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

  /** @param begun an earlier reading of performance.now() */
  observeSince(begun: number): void {
    this.observe((performance.now() - begun) / 1000);
  }

  /** How many values were observed. */
  get count(): number {
    return this.numbers.reduce((sum, count, index) => (index <= this.bounds.length ? sum + count : sum), 0);
  }

  get sum(): number {
    return this.numbers[this.bounds.length + 1]!;
  }

  /** How many values were at or below each bound, and in all (+Inf). */
  cumulative(): [bound: string, count: number][] {
    let count = 0;
    return [...this.bounds, Infinity].map((bound, index) => {
      count += this.numbers[index]!;
      return [bound === Infinity ? '+Inf' : String(bound), count];
    });
  }
}
