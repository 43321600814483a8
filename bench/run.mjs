// `npm run bench`: the cost of a validation. Starts everything it needs, prints one table, writes bench/results.json.
import '../scripts/lib/node-version.mjs';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { main } from '../scripts/lib/stop.mjs';
import { prepare } from './lib/prepare.mjs';

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
const isQuick = process.argv.includes('--quick');
/** @type {Effort} */
const effort = isQuick
  ? { runs: 1, seconds: 1, storedKeys: 20_000, latencyRuns: 1, validations: 50_000, quietSeconds: 3 }
  : { runs: 5, seconds: 3, storedKeys: 1_000_000, latencyRuns: 15, validations: 1_000_000, quietSeconds: 15 };

await main(prepare);
const { openLab } = await import('./lib/lab.mjs');
const { revocations } = await import('./lib/revoker.mjs');
const { holds, table } = await import('./lib/table.mjs');
const { unary } = await import('./rows/unary.mjs');
const { guard, stored } = await import('./rows/guard.mjs');
const { peer } = await import('./rows/peer.mjs');
const { latency } = await import('./rows/latency.mjs');
const { memory, readiness, workers } = await import('./rows/process.mjs');

const parts = { unary, guard, peer, stored, latency, workers, memory, readiness };
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

const lab = await openLab();
/** @type {import('./rows/row.mjs').Row[]} */
const rows = [];
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`Measuring ${name} …`);
  rows.push(...(await measure(lab, effort)));
}
await lab.close();

console.log(`\n${table(rows)}\n`);
const { revoked, grantsBefore, grantsAfter, unanswered } = revocations;
console.log(
  `Meanwhile ${revoked} keys were revoked (${grantsBefore} granted before, ${unanswered} calls without an answer);`,
);
console.log(`grants to calls that began after the revoke was answered: ${grantsAfter}.`);
const [cpu] = cpus();
const machine = { node: process.version, cpu: cpu?.model, cores: cpus().length };
const results = { at: new Date().toISOString(), machine, effort, rows, revocations };
writeFileSync(fileURLToPath(new URL('results.json', import.meta.url)), `${JSON.stringify(results, null, 2)}\n`);
const isShort = rows.some(({ target, value }) => !holds(target, value.median));
if (isShort) console.log('Rows marked "short" miss their target on this machine.');
process.exit(grantsAfter > 0 ? 1 : 0);
