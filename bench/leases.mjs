// `node bench/leases.mjs [--quick]`: what a guard's leases save. Prints one table; each figure is a ratio within a run.
import { step } from '../scripts/lib/run.mjs';
import { openLab } from './lib/lab.mjs';
import { start } from './lib/process.mjs';
import { LONG_TIMEOUTS, startService } from './lib/service.mjs';
import { interleave, ratioRow, row, table } from './rows/row.mjs';

const KEYS = 100;
const HOT_KEYS = 10;
const PER_KEY_AND_SECOND = 50;
const { runs, seconds } = process.argv.includes('--quick') ? { runs: 1, seconds: 1 } : { runs: 7, seconds: 3 };

await step('scripts/build.mjs');
const lab = await openLab();
const service = await startService(await lab.database(KEYS), { LEASE_MS: '500', ...LONG_TIMEOUTS });
const env = { BENCH_TARGET: service.target };
const client = await start('programs/leases-client.mjs', { env, isServer: false });
const app = await start('programs/express.mjs', { env, isServer: false });
const browser = await start('programs/http-client.mjs', {
  env: { BENCH_PORT: String(app.hello.port) },
  isServer: false,
});

/** @param {object} order */
async function checks(order) {
  const before = await service.grants();
  const { calls, refused, perSecond } = await client.send({ seconds, ...order });
  if (refused > 0) throw new Error(`${refused} requests were refused`);
  return { perSecond, asked: ((await service.grants()) - before) / calls };
}

const hot = await interleave(runs, {
  leases: async () => (await checks({ way: 'leases', keys: HOT_KEYS })).perSecond,
  without: async () => (await checks({ way: 'without', keys: HOT_KEYS })).perSecond,
});
const http = await interleave(runs, {
  guarded: async () => (await browser.send({ path: '/guarded', keys: HOT_KEYS, seconds })).perSecond,
  open: async () => (await browser.send({ path: '/open', keys: HOT_KEYS, seconds })).perSecond,
});
/** The load of many keys, which grows as that of a service does: nobody sends 20,000 requests a second at once. */
const paced = (/** @type {number} */ perSecond) =>
  checks({ way: 'leases', keys: KEYS, perSecond, seconds: 4 * seconds });
for (const share of [0.1, 0.25, 0.5]) await paced(share * KEYS * PER_KEY_AND_SECOND);
const { asked } = await interleave(Math.min(runs, 3), {
  asked: async () => (await paced(KEYS * PER_KEY_AND_SECOND)).asked,
});

for (const each of [browser, app, client, service]) await each.stop();
await lab.close();
console.log(
  table([
    ratioRow(
      'guard.check on hot keys with leases ÷ without',
      { atLeast: 15 },
      {
        'with/s': hot.leases,
        'without/s': hot.without,
      },
    ),
    ratioRow(
      'Express behind the guard, hot keys ÷ without any guard',
      { atLeast: 0.9 },
      {
        'guarded/s': http.guarded,
        'open/s': http.open,
      },
    ),
    row('calls ÷ requests, 100 keys at 50 requests a second each', { atMost: 0.06 }, asked, {}),
  ]),
);
