import { parser } from '@prometheus-io/lezer-promql';

/** The values that Grafana inserts. */
const VARIABLES: readonly (readonly [name: string, value: string])[] = [
  ['$__rate_interval', '5m'],
  ['$job', '.+'],
  ['$instance', '.+'],
];

/** The metrics in a query. Throws when Prometheus' grammar finds a mistake in it. */
export function metricsIn(query: string): string[] {
  const text = VARIABLES.reduce((filled, [name, value]) => filled.replaceAll(name, value), query);
  const names: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`not PromQL near ${text.slice(Math.max(0, from - 20), to + 20)}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') names.push(text.slice(from, to));
    },
  });
  return names;
}
