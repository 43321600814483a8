/** Mean and variance of numbers that are added one by one (Welford 1962). */
export class Sample {
  count = 0;
  mean = 0;
  private squares = 0;

  add(value: number): void {
    this.count += 1;
    const before = value - this.mean;
    this.mean += before / this.count;
    this.squares += before * (value - this.mean);
  }

  get variance(): number {
    return this.squares / (this.count - 1);
  }
}

/** Welch's t: above 4.5 or below -4.5, two samples differ in their distribution (the threshold of dudect and TVLA). */
export function welchT(one: Sample, other: Sample): number {
  return (one.mean - other.mean) / Math.sqrt(one.variance / one.count + other.variance / other.count);
}

export function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
