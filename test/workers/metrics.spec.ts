import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { Callers } from '../support/callers.js';
import { createDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { readMetrics } from '../support/metrics-page.js';
import { Person } from '../support/person.js';
import { childrenOf } from '../support/processes.js';
import { buildService, ServiceProcess } from '../support/service-process.js';

const CALLERS = 8;
const ASKED = { outcome: 'granted' };

describe('metrics of WORKERS=2 on METRICS_PORT', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProcess;
  let metrics: string;
  let fullKey: string;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    const port = String(await freePort());
    service = await ServiceProcess.startReady({
      WORKERS: '2',
      METRICS_PORT: port,
      DATABASE_URL: database.url,
      REDIS_URL: `${process.env['LATCHKEY_TEST_REDIS_URL']}/9`,
      RATE_LIMIT_PER_SECOND: '1000000',
      RATE_LIMIT_BURST: '1000000',
      // This test is about the ends of workers.
      LOG_LEVEL: 'fatal',
    });
    metrics = `http://127.0.0.1:${port}`;
    fullKey = (await (await new Person(service.url).signIn()).newKey()).fullKey;
  });
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  const granted = async () => (await readMetrics(metrics)).sum('latchkey_validations_total', ASKED);
  /** Sends each request over a connection of its own; the workers get connections in turn. */
  async function ask(): Promise<number> {
    const callers = new Callers(service.target, fullKey, CALLERS);
    const told = (await callers.askUntil(({ length }) => length === 5)).flat();
    callers.close();
    expect(new Set(told)).toEqual(new Set(['grant']));
    return told.length;
  }

  test('are the sum over both, whichever answers', async () => {
    const before = await granted();
    const asked = await ask();
    const pages = await Promise.all(Array.from({ length: 4 }, () => readMetrics(metrics)));
    expect(pages.map((page) => page.sum('latchkey_validations_total', ASKED))).toEqual(
      new Array(4).fill(before + asked),
    );
    expect(pages[0]!.sum('latchkey_validation_duration_seconds_count', ASKED)).toBe(before + asked);
    expect(pages[0]!.sum('latchkey_workers')).toBe(2);
    expect(pages[0]!.sum('latchkey_ready')).toBe(1);
    expect(pages[0]!.sum('latchkey_postgres_connections_max', { pool: 'validation' })).toBe(4);
  });

  test('do not go down when a worker ends', async () => {
    await ask();
    const before = await granted();
    const [first] = childrenOf(service.pid);
    process.kill(first!, 'SIGKILL');
    await eventually(async () => {
      // A connection to the worker that ended ends with it.
      const page = await readMetrics(metrics).catch(() => undefined);
      if (!page) return false;
      expect(page.sum('latchkey_validations_total', ASKED)).toBe(before);
      return page.sum('latchkey_workers') === 2 && !childrenOf(service.pid).includes(first!);
    });
    const asked = await ask();
    expect(await granted()).toBe(before + asked);
  });

  test('are not to be had on HTTP_PORT, and beside them is health alone', async () => {
    const status = async (url: string, method = 'GET') => (await fetch(url, { method })).status;
    expect(await status(`${service.url}/metrics`)).toBe(404);
    expect(await status(`${service.url}/livez`)).toBe(200);
    expect(await status(`${metrics}/livez`)).toBe(200);
    expect(await status(`${metrics}/readyz`)).toBe(200);
    for (const path of ['/', '/v1/api-keys', '/openapi.json', '/settings/api-keys']) {
      expect([path, await status(metrics + path)]).toEqual([path, 404]);
    }
    expect(await status(`${metrics}/metrics`, 'POST')).toBe(404);
  });
});
