import { predict } from '../model.mjs';
import { columnsOf, figure, markdown } from '../../lib/markdown.mjs';

const PROCESSES = /** @type {const} */ ([
  ['service', 'the service'],
  ['postgres', 'PostgreSQL'],
  ['redis', 'Redis'],
]);

/** The model compared with measurements. @param {any} results of results/check.json */
export function checked(results) {
  const rows = results.checks.flatMap((/** @type {any} */ check) => {
    const { inFlight, measured } = check;
    const predicted = predict(results, check);
    const load = inFlight ? `${inFlight} in flight` : `${figure(measured.perSecond)} a second`;
    const throughput = { what: 'validations a second', model: predicted.perSecond, real: measured.perSecond };
    const micros = PROCESSES.map(([who, name]) => {
      return { what: `µs of ${name}`, model: predicted.micros[who], real: measured.micros[who] };
    });
    return [...(inFlight ? [throughput] : []), ...micros].map((each) => ({ ...each, load }));
  });
  return columnsOf(rows, [
    ['two instances, limits in Redis', ({ load, what }) => `${load}: ${what}`],
    ['the model', ({ model }) => model],
    ['measured', ({ real }) => real],
    ['apart', ({ model, real }) => `${Math.round((model / real - 1) * 100)} %`],
  ]);
}

/** @param {any} prices */
export const prices = ({ barrier, pool }) =>
  columnsOf(
    [...barrier, ...pool],
    [
      ['what', ({ what }) => what],
      [
        'median (least to most)',
        ({ value: { median, min, max } }) => `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`,
      ],
      ['sides', ({ sides }) => mediansOf(sides).map(figure).join(' ÷ ')],
    ],
  );

/** @param {Record<string, { median: number }>} sides */
const mediansOf = (sides) => Object.values(sides).map(({ median }) => median);

/** @param {any} measured of results/regions.json */
export function regions({ regions: all }) {
  const shown = (/** @type {any} */ { p50, p99 }) => `${figure(p50)}, ${figure(p99)}`;
  const share = (/** @type {any} */ { failed, calls }) => `${figure((100 * failed) / calls)} %`;
  /** @type {[string, (region: any) => string | number][]} */
  const rows = [
    ['with the defaults (120, 200 ms): failed', ({ byDefault }) => share(byDefault)],
    ['`DATABASE_PATIENCE_MS` to set', ({ timeoutMs }) => String(timeoutMs)],
    ["the guard's `deadlineMs` to set", ({ deadlineMs }) => String(deadlineMs)],
    ['failed at 200 and at 2,000 a second', ({ calm, busy }) => `${calm.failed}, ${busy.failed}`],
    ['median, 99th percentile at 200 a second, ms', ({ calm }) => shown(calm)],
    ['the same at 2,000 a second', ({ busy }) => shown(busy)],
    ['the same of unknown keys, which are recorded first', ({ denied }) => shown(denied)],
    ['most a second, 1,800 in flight', ({ crowd }) => crowd.perSecond],
    ['a revocation, median ms', ({ revoked }) => revoked.latencyMs.median],
    ['granted after it, here and near the primary', ({ revoked }) => String(revoked.grantsAfter)],
    ['refused after it', ({ revoked }) => String(revoked.refusedAfter)],
    ['start to ready, s', ({ startMs }) => startMs / 1000],
  ];
  return markdown(
    ['round trip to the primary', ...all.map((/** @type {any} */ { roundTripMs }) => `${roundTripMs} ms`)],
    rows.map(([what, read]) => [what, ...all.map(read)]),
  );
}
