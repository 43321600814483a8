import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';
import type { Tally } from './tally.js';

/**
 * A metric in the form that prom-client's registry takes. It stores nothing and reads its numbers when the page is
 * made.
 */
export interface Instrument {
  readonly name: string;
  /** How the numbers of several workers are combined. */
  readonly aggregator: Aggregator;
  get(): MetricObjectWithValues<MetricValueWithName<string>>;
}

export type Labels = Readonly<Record<string, string>>;
/**
 * One number, or several with different labels. Empty when there is nothing to measure, such as Redis when none is
 * configured.
 */
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

/** prom-client's own types require enums and names that it does not need. */
function metric(name: string, help: string, type: string, aggregator: Aggregator, values: readonly Sample[]) {
  return { name, help, type, aggregator, values } as unknown as ReturnType<Instrument['get']>;
}

/**
 * Several components may count the same thing under one name, each with its own labels. The registry sees one metric.
 */
export function mergeByName(instruments: readonly Instrument[]): Instrument[] {
  const byName = new Map<string, Instrument[]>();
  for (const one of instruments) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return [...byName.values()].map((same) => ({
    ...same[0]!,
    get: () => ({ ...same[0]!.get(), values: same.flatMap((one) => one.get().values) }),
  }));
}
