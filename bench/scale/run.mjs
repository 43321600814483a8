// `node bench/scale/run.mjs costs`, or check, prices or regions. Each takes two to five minutes, measures the
// figures for the tables of docs/scale.md, and writes them to results/.
import { main } from '../../scripts/lib/stop.mjs';
import { prepare } from '../lib/prepare.mjs';
import { writeResults } from '../lib/results.mjs';

const PARTS = ['costs', 'check', 'prices', 'regions'];
const part = process.argv[2] ?? '';
if (!PARTS.includes(part)) throw new Error(`Say what to measure: ${PARTS.join(', ')}.`);

await main(prepare);
const { openLab } = await import('../lib/lab.mjs');
const { measure } = await import(`./${part}.mjs`);
const lab = await openLab();
writeResults(`scale/results/${part}.json`, await measure(lab));
await lab.close();
process.exit(0);
