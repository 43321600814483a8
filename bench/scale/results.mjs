import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

/** @param {string} name */
const pathOf = (name) => fileURLToPath(new URL(`results/${name}.json`, import.meta.url));

/** Stores the measurements, and the machine that they come from. @param {string} name @param {object} measured */
export function writeResults(name, measured) {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  const results = { at: new Date().toISOString(), machine, ...measured };
  writeFileSync(pathOf(name), `${JSON.stringify(results, null, 2)}\n`);
}

/** @param {string} name @returns {any} */
export function readResults(name) {
  return JSON.parse(readFileSync(pathOf(name), 'utf8'));
}
