import { predict } from '../model.mjs';
import { figure, markdown } from '../../lib/markdown.mjs';

/** The model compared with measurements. @param {any} results of results/check.json */
export function checked(results) {
  const rows = results.checks.flatMap((/** @type {any} */ check) => {
    const { inFlight, measured } = check;
    const predicted = predict(results, check);
    const load = inFlight ? `${inFlight} in flight` : `${figure(measured.perSecond)} a second`;
    const line = (/** @type {string} */ what, /** @type {number} */ is, /** @type {number} */ said) => [
      `${load}: ${what}`,
      said,
      is,
      `${Math.round((said / is - 1) * 100)} %`,
    ];
    return [
      ...(inFlight ? [line('validations a second', measured.perSecond, predicted.perSecond)] : []),
      line('µs of the service', measured.micros.service, predicted.micros.service),
      line('µs of PostgreSQL', measured.micros.postgres, predicted.micros.postgres),
      line('µs of Redis', measured.micros.redis, predicted.micros.redis),
    ];
  });
  return markdown(['two instances, limits in Redis', 'the model', 'measured', 'apart'], rows);
}

/** @param {any} prices */
export function prices({ barrier, pool }) {
  const rows = [...barrier, ...pool].map(({ what, value, sides }) => [
    what,
    `${value.median.toFixed(2)} (${value.min.toFixed(2)} to ${value.max.toFixed(2)})`,
    Object.values(sides)
      .map((/** @type {any} */ { median }) => figure(median))
      .join(' ÷ '),
  ]);
  return markdown(['what', 'median (least to most)', 'sides'], rows);
}

/** @param {any} measured of results/regions.json */
export function regions({ regions: all }) {
  const shown = (/** @type {any} */ { p50, p99 }) => `${figure(p50)}, ${figure(p99)}`;
  const share = (/** @type {any} */ { failed, calls }) => `${figure((100 * failed) / calls)} %`;
  const row = (/** @type {string} */ what, /** @type {(each: any) => string | number} */ read) => [
    what,
    ...all.map(read),
  ];
  return markdown(
    ['round trip to the primary', ...all.map((/** @type {any} */ { roundTripMs }) => `${roundTripMs} ms`)],
    [
      row('with the defaults (120, 200 ms): failed', ({ byDefault }) => share(byDefault)),
      row('`DATABASE_PATIENCE_MS` to set', ({ timeoutMs }) => String(timeoutMs)),
      row("the guard's `deadlineMs` to set", ({ deadlineMs }) => String(deadlineMs)),
      row('failed at 200 and at 2,000 a second', ({ calm, busy }) => `${calm.failed}, ${busy.failed}`),
      row('median, 99th percentile at 200 a second, ms', ({ calm }) => shown(calm)),
      row('the same at 2,000 a second', ({ busy }) => shown(busy)),
      row('the same of unknown keys, which wait for the record', ({ denied }) => shown(denied)),
      row('most a second, 1,800 in flight', ({ crowd }) => crowd.perSecond),
      row('a revocation, median ms', ({ revoked }) => revoked.latencyMs.median),
      row('granted after it, here and near the primary', ({ revoked }) => String(revoked.grantsAfter)),
      row('refused after it', ({ revoked }) => String(revoked.refusedAfter)),
      row('start to ready, s', ({ startMs }) => startMs / 1000),
    ],
  );
}
