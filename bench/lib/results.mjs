import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** @param {string} path from the bench's folder */
const urlOf = (path) => new URL(`../${path}`, import.meta.url);

/** Stores measurements, and the machine that they come from. @param {string} path @param {object} measured */
export function writeResults(path, measured) {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  const results = { at: new Date().toISOString(), machine, ...measured };
  writeFileSync(urlOf(path), `${JSON.stringify(results, null, 2)}\n`);
}

/** What `bench/scale` measured. @returns {any} */
export const readScaleResults = () => JSON.parse(readFileSync(urlOf('scale/results/costs.json'), 'utf8'));
