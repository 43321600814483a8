import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';

/** A metric in the form that prom-client's registry takes. Its numbers are read when the page is made. */
export interface Instrument {
  readonly name: string;
  /** How the numbers of several workers are combined. What all of them read of the same tables is not added up: `max`. */
  readonly aggregator: Aggregator;
  get(): MetricObjectWithValues<MetricValueWithName<string>>;
}

export type Labels = Readonly<Record<string, string>>;
/** One number, or one for each set of labels. Empty when there is nothing to measure. */
type Reading = number | readonly (readonly [labels: Labels, value: number])[];
type Aggregator = 'sum' | 'max' | 'min';

export function counter(name: string, help: string, read: () => Reading): Instrument {
  return instrument(name, help, 'counter', 'sum', () => samplesOf(read()));
}

export function gauge(name: string, help: string, read: () => Reading, aggregator: Aggregator = 'sum'): Instrument {
  return instrument(name, help, 'gauge', aggregator, () => samplesOf(read()));
}

export function histogram(
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Labels, tally: Tally]>,
): Instrument {
  const samples = (labels: Labels, tally: Tally): Sample[] => [
    ...tally.cumulative().map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { le, ...labels }, value })),
    { metricName: `${name}_sum`, labels, value: tally.sum },
    { metricName: `${name}_count`, labels, value: tally.count },
  ];
  return instrument(name, help, 'histogram', 'sum', () => [...read()].flatMap((one) => samples(...one)));
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

function samplesOf(reading: Reading): Sample[] {
  if (typeof reading === 'number') return [{ labels: {}, value: reading }];
  return reading.map(([labels, value]) => ({ labels, value }));
}

/** prom-client's own types require enums and names that it does not need. */
function instrument(
  name: string,
  help: string,
  type: 'counter' | 'gauge' | 'histogram',
  aggregator: Aggregator,
  values: () => Sample[],
): Instrument {
  const get = () => ({ name, help, type, aggregator, values: values() }) as unknown as ReturnType<Instrument['get']>;
  return { name, aggregator, get };
}

/** Components may count under one name, each with its own labels. The registry gets one metric. */
export function mergeByName(instruments: readonly Instrument[]): Instrument[] {
  const byName = new Map<string, Instrument[]>();
  for (const one of instruments) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return [...byName.values()].map((same) => ({
    ...same[0]!,
    get: () => ({ ...same[0]!.get(), values: same.flatMap((one) => one.get().values) }),
  }));
}

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
