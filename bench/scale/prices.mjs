// What READ_BARRIER=on and DATABASE_POOLING=transaction cost: each side in turns, and the first side twice, which shows how
// far two equal sides are apart. `node bench/scale/prices.mjs [barrier] [pool]`, about five minutes, writes results/prices.json.
import { writeResults } from './results.mjs';
import { main } from '../../scripts/lib/stop.mjs';
import { prepare } from '../lib/prepare.mjs';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const RUNS = Number(process.env['BENCH_RUNS'] ?? 7);
const KEYS = 100_000;
/** The same on all sides: a busy machine must not make one of them give reads up. */
const PATIENT = { DATABASE_PATIENCE_MS: '5000', LOG_LEVEL: 'error' };

const grantsPerSecond = (/** @type {any} */ { granted, seconds }) => granted / seconds;
const WAYS = /** @type {const} */ ([
  { way: 'unary', load: { way: 'unary', concurrency: 128 }, unit: 'unary calls a second', read: grantsPerSecond },
  { way: 'guard', load: { concurrency: 256 }, unit: 'the guard, validations a second', read: grantsPerSecond },
  {
    way: 'guard',
    load: { perSecond: 200 },
    unit: 'median ms at 200 a second',
    read: (/** @type {any} */ { p50 }) => p50,
  },
]);

await main(prepare);
const { openLab } = await import('../lib/lab.mjs');
const { start } = await import('../lib/process.mjs');
const { startService } = await import('../lib/service.mjs');
const { startStandby } = await import('../lib/standby.mjs');
const { table } = await import('../lib/table.mjs');
const { interleave } = await import('../rows/interleave.mjs');
const { ratioRow } = await import('../rows/row.mjs');
const { PgBouncer } = await import('../../test/support/stores/pgbouncer.mjs');

const lab = await openLab();
const databaseUrl = await lab.database(KEYS);
const parts = {
  barrier: async () => {
    const standby = await startStandby(databaseUrl);
    const rows = await compared('READ_BARRIER', {
      off: [databaseUrl, {}],
      again: [databaseUrl, {}],
      on: [databaseUrl, { READ_BARRIER: 'on' }],
    });
    await standby.stop();
    return rows;
  },
  pool: async () => {
    const bouncer = await PgBouncer.before(databaseUrl);
    const rows = await compared('DATABASE_POOLING', {
      off: [databaseUrl, {}],
      again: [databaseUrl, {}],
      on: [bouncer.instead(databaseUrl), { DATABASE_POOLING: 'transaction' }],
    });
    await bouncer.remove();
    return rows;
  },
};
const wanted = process.argv.slice(2);
/** @type {Record<string, import('../rows/row.mjs').Row[]>} */
const prices = {};
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`Measuring ${name} …`);
  prices[name] = await measure();
  console.log(table(prices[name]));
}
await lab.close();
writeResults('prices', { keys: KEYS, runs: RUNS, seconds: SECONDS, ...prices });
process.exit(0);

/**
 * @param {string} what
 * @param {Record<'off' | 'again' | 'on', [string, Record<string, string>]>} settings
 */
async function compared(what, settings) {
  /** @type {Record<string, any>} */
  const sides = {};
  for (const [side, [url, env]] of Object.entries(settings)) sides[side] = await startSide(url, env);
  const rows = [];
  for (const { way, load, unit, read } of WAYS) {
    const ask = (/** @type {any} */ side) => async () => read(await side[way].ask({ ...load, seconds: SECONDS }));
    const values = await interleave(RUNS, { off: ask(sides['off']), again: ask(sides['again']), on: ask(sides['on']) });
    rows.push(
      ratioRow(`${what} on ÷ off: ${unit}`, {}, { on: values.on, off: values.off }),
      ratioRow(`off ÷ off once more: ${unit}`, {}, { again: values.again, off: values.off }),
    );
  }
  for (const side of Object.values(sides)) await side.stop();
  return rows;
}

/** @param {string} url @param {Record<string, string>} env */
async function startSide(url, env) {
  const service = await startService(url, { ...PATIENT, ...env });
  const asking = { BENCH_TARGET: service.target, BENCH_KEYS: String(KEYS), BENCH_DEADLINE_MS: '30000' };
  const guard = await start('programs/guarded.mjs', { env: asking, isServer: false });
  const unary = await start('programs/client.mjs', { env: asking, isServer: false });
  const stop = async () => {
    await Promise.all([guard.stop(), unary.stop()]);
    await service.stop();
  };
  return { guard, unary, stop };
}
