import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { connectClients } from '../support/callers/grpc-clients.js';
import { Person } from '../support/callers/person.js';
import { printFigures } from '../support/jest/long-form.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { sql } from '../support/stores/sql.js';

const KILLS = 5;
const ENV = { DEMO: '1', RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  await buildService();
  database = await createDatabase();
});
afterAll(async () => {
  await ServiceProcess.killTheRest();
  await database.drop();
});

const start = () => ServiceProcess.startReady({ DATABASE_URL: database.url, ...ENV });
async function counted(keyId: string): Promise<number> {
  const [row] = await sql<{ n: number }>(
    database.url,
    'SELECT coalesce(sum(granted), 0)::int AS n FROM api_key_days WHERE key_id = $1',
    [keyId],
  );
  return row!.n;
}

/** Validates until it is stopped or nobody answers. Returns the number of grants. */
function startLoad(service: ServiceProcess, fullKey: string) {
  const clients = connectClients(service.target);
  let [granted, isOver] = [0, false];
  const requester = async () => {
    while (!isOver) {
      await clients.validate(fullKey, { clientIp: '192.0.2.7' });
      granted += 1;
    }
  };
  const ended = Promise.allSettled(times(8, requester)).then(() => clients.close());
  return {
    granted: () => granted,
    stop: async () => {
      isOver = true;
      await ended;
      return granted;
    },
  };
}

test('a service that is killed loses only the counts that it had not written, and another instance loses none', async () => {
  const survivor = await start();
  const person = await new Person(survivor.url).signIn();
  const { apiKey, fullKey } = await person.newKey();
  let [answered, kept] = [0, 0];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const victim = await start();
    const load = startLoad(victim, fullKey);
    const before = await counted(apiKey.id);
    await eventually(async () => (await counted(apiKey.id)) > before);
    victim.child.kill('SIGKILL');
    await victim.ended;
    const granted = await load.stop();
    const written = (await counted(apiKey.id)) - before;
    // Eight calls were in progress. They may be counted without having been answered.
    expect(written).toBeLessThanOrEqual(granted + 8);
    answered += granted;
    kept += written;
  }
  const load = startLoad(survivor, fullKey);
  await eventually(async () => load.granted() > 1000);
  const bySurvivor = await load.stop();
  survivor.child.kill('SIGTERM');
  await survivor.ended;
  printFigures('counts, kill -9 at random points', { kills: KILLS, 'grants answered': answered, 'grants kept': kept });
  expect(await counted(apiKey.id)).toBe(kept + bySurvivor);
  const [used] = await sql<{ n: number }>(
    database.url,
    'SELECT count(*)::int AS n FROM api_key_addresses WHERE key_id = $1',
    [apiKey.id],
  );
  expect(used!.n).toBe(1);
}, 300_000);
