// `npm run bench`: the cost of a validation. Starts everything it needs, prints one table, writes bench/results.json.
import { main } from '../scripts/lib/stop.mjs';
import { prepare } from './lib/prepare.mjs';
import { writeResults } from './lib/results.mjs';

/**
 * @typedef {object} Effort
 * @property {number} runs of each side, interleaved
 * @property {number} seconds the length of one run of a side
 * @property {number} storedKeys
 * @property {number} latencyRuns runs for latencies: many short ones, since a busy machine stops for some milliseconds
 *   now and then, and the median leaves such runs out
 * @property {number} validations for the row about memory
 * @property {number} quietSeconds the pause before memory is measured
 */
/** @type {Effort} */
const effort = process.argv.includes('--quick')
  ? { runs: 1, seconds: 1, storedKeys: 20_000, latencyRuns: 1, validations: 50_000, quietSeconds: 3 }
  : { runs: 5, seconds: 3, storedKeys: 1_000_000, latencyRuns: 15, validations: 1_000_000, quietSeconds: 15 };

await main(prepare);
const { openLab } = await import('./lib/lab.mjs');
const { revocations } = await import('./lib/revocations.mjs');
const { holds, table } = await import('./rows/row.mjs');
const { guard, json, quiet, stored, unary, workers } = await import('./rows/throughput.mjs');
const { latency, memory, readiness } = await import('./rows/process.mjs');
const { apps } = await import('./rows/apps.mjs');

const parts = { unary, json, guard, quiet, stored, latency, workers, memory, readiness, apps };
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
// `apps` needs Go, Maven and Python, so it is measured only when it is named.
const wanted = named.length > 0 ? named : Object.keys(parts).filter((name) => name !== 'apps');

const lab = await openLab();
/** @type {import('./rows/row.mjs').Row[]} */
const rows = [];
for (const [name, measure] of Object.entries(parts)) {
  if (!wanted.includes(name)) continue;
  console.log(`Measuring ${name} …`);
  rows.push(...(await measure(lab, effort)));
}
await lab.close();

console.log(`\n${table(rows)}\n`);
const { revoked, grantsBefore, grantsAfter, unanswered } = revocations;
console.log(
  `Keys revoked during the measurements: ${revoked} (granted before: ${grantsBefore}, calls without an answer: ${unanswered}).`,
);
console.log(`Grants to calls that began after the revocation was answered: ${grantsAfter}.`);
writeResults('results.json', { effort, rows, revocations });
const isShort = rows.some(({ target, value }) => !holds(target, value.median));
if (isShort) console.log('Rows marked "short" miss their target on this machine.');
process.exit(grantsAfter > 0 ? 1 : 0);
