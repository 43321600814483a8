// `node bench/scale/run.mjs`: takes two to five minutes, measures the figures for the tables of README.md next to it, and writes
// them to results/costs.json.
import { main } from '../../scripts/lib/stop.mjs';
import { prepare } from '../lib/prepare.mjs';
import { writeResults } from '../lib/results.mjs';

await main(prepare);
const { openLab } = await import('../lib/lab.mjs');
const { measure } = await import('./costs.mjs');
const lab = await openLab();
writeResults('scale/results/costs.json', await measure(lab));
await lab.close();
process.exit(0);
