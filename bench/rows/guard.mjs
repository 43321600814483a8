import { withService } from '../lib/service.mjs';
import { compare, ratioRow } from './row.mjs';

const CONCURRENCY = 256;
const FEW_KEYS = 1000;
const DEADLINE_MS = 5000;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function guard(lab, { runs, seconds }) {
  const few = { databaseUrl: await lab.database(FEW_KEYS), keys: FEW_KEYS, deadlineMs: DEADLINE_MS };
  const measured = await withService(few, (client, service) =>
    compare(service, runs, {
      unary: () => grantsPerSecond(client, 'unary', seconds),
      guard: () => grantsPerSecond(client, 'guard', seconds),
    }),
  );
  const sides = { 'guard/s': measured.guard, 'unary/s': measured.unary };
  return [ratioRow('guard over streams ÷ plain unary Node client', { atLeast: 4 }, sides)];
}

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function stored(lab, { runs, seconds, storedKeys: keys }) {
  const many = { databaseUrl: await lab.database(keys), keys, deadlineMs: DEADLINE_MS };
  const few = { databaseUrl: await lab.database(FEW_KEYS), keys: FEW_KEYS, deadlineMs: DEADLINE_MS };
  const measured = await withService(many, (manyClient, service) =>
    withService(few, (fewClient) =>
      compare(service, runs, {
        many: () => grantsPerSecond(manyClient, 'guard', seconds),
        few: () => grantsPerSecond(fewClient, 'guard', seconds),
      }),
    ),
  );
  const what = `${keys.toLocaleString('en')} stored keys ÷ 1,000 stored keys, asked by the guard`;
  return [ratioRow(what, { atLeast: 0.9 }, { 'many/s': measured.many, 'few/s': measured.few })];
}

/** @param {import('../lib/process.mjs').BenchProcess} client @param {'unary' | 'guard'} way @param {number} seconds */
async function grantsPerSecond(client, way, seconds) {
  const { granted, seconds: taken } = await client.ask({ way, concurrency: CONCURRENCY, seconds });
  return granted / taken;
}
