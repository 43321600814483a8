import { start } from '../lib/process.mjs';
import { whileRevoking } from '../lib/revoker.mjs';
import { startService } from '../lib/service.mjs';
import { ratios, row } from './row.mjs';

const CONCURRENCY = 256;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function guard(lab, { runs, seconds }) {
  const databaseUrl = await lab.database(1000);
  const service = await startService(databaseUrl);
  const env = { BENCH_TARGET: service.target, BENCH_KEYS: '1000' };
  const client = await start('programs/client.mjs', { env, isServer: false });
  const measured = await whileRevoking({ databaseUrl, ...service }, async () => {
    /** @type {{ unary: number[], guard: number[] }} */
    const perSecond = { unary: [], guard: [] };
    for (let run = -1; run < runs; run += 1) {
      for (const way of /** @type {const} */ (['unary', 'guard'])) {
        const { granted, seconds: taken } = await client.ask({ way, concurrency: CONCURRENCY, seconds });
        if (run >= 0) perSecond[way].push(granted / taken);
      }
    }
    return perSecond;
  });
  await client.stop();
  await service.stop();
  const sides = { 'guard/s': measured.guard, 'unary/s': measured.unary };
  return [
    row('guard over streams ÷ plain unary Node client', { atLeast: 4 }, ratios(measured.guard, measured.unary), sides),
  ];
}
