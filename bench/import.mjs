// `node bench/import.mjs [keys]`: imports keys of another system on one stream, and validates keys before, during and
// after that. Prints one line for each measurement.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { IMPORT_PREFIX } from './lib/foreign-keys.mjs';
import { openLab } from './lib/lab.mjs';
import { start } from './lib/process.mjs';
import { LONG_TIMEOUTS, startService } from './lib/service.mjs';
import { median } from './lib/statistics.mjs';

const KEYS = Number(process.argv[2] ?? 1_000_000);
/** Imported first, so that there are imported keys to validate. */
const FIRST = 10_000;
const LOAD = { concurrency: 32, seconds: 2 };
const KINDS = ['own', 'imported', 'mistyped'];
const ROUNDS = 3;
const SECONDS = 5;

const lab = await openLab();
try {
  const service = await startService(await lab.database(KEYS), { ...LONG_TIMEOUTS, IMPORT_PREFIXES: IMPORT_PREFIX });
  const env = { BENCH_TARGET: service.target };
  const [importer, validator] = [
    await start('programs/import-client.mjs', { env, isServer: false }),
    await start('programs/import-client.mjs', { env, isServer: false }),
  ];
  const validate = (/** @type {string} */ kind, load = LOAD) =>
    validator.send({ does: 'validate', kind, stored: FIRST, ...load });
  /** Validations a second of each kind: medians of rounds, until there are enough or the work has ended. */
  const rates = async (/** @type {Promise<unknown>=} */ work) => {
    let hasEnded = false;
    work?.then(() => (hasEnded = true));
    const seen = Object.fromEntries(KINDS.map((kind) => [kind, /** @type {number[]} */ ([])]));
    for (let round = 0; work ? !hasEnded : round < ROUNDS; round += 1)
      for (const kind of KINDS) seen[kind].push((await validate(kind)).perSecond);
    return Object.fromEntries(KINDS.map((kind) => [kind, Math.round(median(seen[kind]))]));
  };
  const readsDuring = async (/** @type {() => Promise<any>} */ call) => {
    const before = await batches();
    const answer = await call();
    return { ...answer, reads: (await batches()) - before };
  };
  const batches = async () => {
    const page = await (await fetch(`${service.url}/metrics`)).text();
    return [...page.matchAll(/^latchkey_batch_size_count\S* (\d+)$/gm)].reduce((all, [, n]) => all + Number(n), 0);
  };
  const owners = KEYS / 5;
  await importer.send({ does: 'import', from: 0, to: FIRST, owners });
  console.log('validations a second before', await rates());
  const range = { from: FIRST, to: FIRST + KEYS, owners };
  const work = importer.send({ does: 'import', ...range });
  console.log('validations a second during the import', await rates(work));
  console.log('import with validations next to it', await work);
  console.log('validations a second after', await rates());
  console.log('import of the same keys again', await importer.send({ does: 'import', ...range }));
  // The readiness of the service is read, too, each second.
  const idle = await readsDuring(() => setTimeout(SECONDS * 1000));
  const other = await readsDuring(() => validate('other', { concurrency: 32, seconds: SECONDS }));
  console.log('strings that begin like no import', { ...other, readsWithoutThem: idle.reads });
  const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
  console.log('most memory of the service', { megabytes: Number(peak) / 1000 });
  for (const each of [importer, validator, service]) await each.stop();
} finally {
  await lab.close();
}
