export type MetricsPage = Awaited<ReturnType<typeof readMetrics>>;

/**
 * Reads a metrics page in the text format of Prometheus. Throws when there is no such page, or a line of it that is
 * neither comment nor sample.
 */
export async function readMetrics(url: string) {
  const response = await fetch(`${url}/metrics`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${text}`);
  /** Name → type of each metric; a histogram is one metric. */
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map(toSample);
  /** The sum over all samples of that name whose labels include these. */
  const sum = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((total, { value }) => total + value, 0);
  return { text, types, samples, sum };
}

function toSample(line: string) {
  const [, name, labels = '', value] = /^([a-z_]\w*)(?:\{(.*)\})? (-?[\d.e+-]+|NaN|\+Inf)$/i.exec(line) ?? [];
  if (!name) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label!, text!]);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
}
