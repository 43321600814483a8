import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';
import type { Tally } from './tally.js';

/** A metric as the registry of prom-client takes it. It holds nothing: it reads what others count when the page is made. */
export interface Instrument {
  readonly name: string;
  /** How the numbers of several workers become one. */
  readonly aggregator: Aggregator;
  get(): MetricObjectWithValues<MetricValueWithName<string>>;
}

export type Labels = Readonly<Record<string, string>>;
/** One number, or several that labels distinguish. None where there is nothing to measure, such as Redis without a Redis. */
type Reading = number | readonly (readonly [labels: Labels, value: number])[];
type Aggregator = 'sum' | 'max' | 'min';

export function counter(name: string, help: string, read: () => Reading): Instrument {
  return instrument(name, help, 'counter', 'sum', read);
}

export function gauge(name: string, help: string, read: () => Reading, aggregator: Aggregator = 'sum'): Instrument {
  return instrument(name, help, 'gauge', aggregator, read);
}

export function histogram(
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Labels, tally: Tally]>,
): Instrument {
  const samples = (labels: Labels, tally: Tally) => {
    const buckets = tally.cumulative();
    return [
      ...buckets.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { le, ...labels }, value })),
      { metricName: `${name}_sum`, labels, value: tally.sum },
      { metricName: `${name}_count`, labels, value: buckets.at(-1)![1] },
    ];
  };
  const values = () => [...read()].flatMap(([labels, tally]) => samples(labels, tally));
  return { name, aggregator: 'sum', get: () => metric(name, help, 'histogram', 'sum', values()) };
}

function instrument(
  name: string,
  help: string,
  type: 'counter' | 'gauge',
  aggregator: Aggregator,
  read: () => Reading,
): Instrument {
  const values = () => {
    const reading = read();
    return (typeof reading === 'number' ? [[{}, reading] as const] : reading).map(([labels, value]) => ({
      labels,
      value,
    }));
  };
  return { name, aggregator, get: () => metric(name, help, type, aggregator, values()) };
}

type Sample = Omit<MetricValueWithName<string>, 'metricName'> & { readonly metricName?: string };

/** prom-client's own types speak of enums and of names that it does without. */
function metric(name: string, help: string, type: string, aggregator: Aggregator, values: readonly Sample[]) {
  return { name, help, type, aggregator, values } as unknown as ReturnType<Instrument['get']>;
}

/** Several may count one thing under one name, each with labels of its own: to the registry they are one metric. */
export function mergeByName(instruments: readonly Instrument[]): Instrument[] {
  const byName = new Map<string, Instrument[]>();
  for (const one of instruments) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return [...byName.values()].map((same) => ({
    ...same[0]!,
    get: () => ({ ...same[0]!.get(), values: same.flatMap((one) => one.get().values) }),
  }));
}
