import { PgBouncer } from '../../test/support/stores/pgbouncer.mjs';
import { LONG_TIMEOUTS, startClient, startService } from '../lib/service.mjs';
import { startStandby } from '../lib/standby.mjs';
import { interleave, ratioRow } from '../rows/row.mjs';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const RUNS = Number(process.env['BENCH_RUNS'] ?? 7);
const KEYS = 100_000;
const LOADS = [
  { load: { way: 'unary', concurrency: 128 }, unit: 'unary calls a second' },
  { load: { concurrency: 256 }, unit: 'the guard, validations a second' },
  { load: { perSecond: 200 }, unit: 'median ms at 200 a second' },
];

/**
 * The cost of READ_BARRIER=on and of DATABASE_POOLING=transaction. The sides are measured in turns. The first side is
 * measured twice, which shows how much two equal sides differ.
 * @param {import('../lib/lab.mjs').Lab} lab
 */
export async function measure(lab) {
  const databaseUrl = await lab.database(KEYS);
  const standby = await startStandby(databaseUrl);
  const barrier = await compared(databaseUrl, { READ_BARRIER: 'on' });
  await standby.stop();
  const bouncer = await PgBouncer.before(databaseUrl);
  const pooled = { DATABASE_POOLING: 'transaction', DATABASE_URL: bouncer.instead(databaseUrl) };
  const pool = await compared(databaseUrl, pooled);
  await bouncer.remove();
  return { keys: KEYS, runs: RUNS, seconds: SECONDS, barrier, pool };
}

/** @param {string} databaseUrl @param {Record<string, string>} setting what is measured; its first name is the title */
async function compared(databaseUrl, setting) {
  const services = [];
  for (const env of [{}, {}, setting]) services.push(await startService(databaseUrl, { ...LONG_TIMEOUTS, ...env }));
  const clients = await Promise.all(services.map((service) => startClient([service], KEYS)));
  const [what] = Object.keys(setting);
  const rows = [];
  for (const { load, unit } of LOADS) {
    const [off, again, on] = clients.map((client) => async () => {
      const { granted, seconds, p50 } = await client.send({ ...load, seconds: SECONDS });
      return load.perSecond ? p50 : granted / seconds;
    });
    const values = await interleave(RUNS, { off, again, on });
    rows.push(
      ratioRow(`${what} on ÷ off: ${unit}`, {}, { on: values.on, off: values.off }),
      ratioRow(`off ÷ off once more: ${unit}`, {}, { again: values.again, off: values.off }),
    );
  }
  for (const each of [...clients, ...services]) await each.stop();
  return rows;
}
