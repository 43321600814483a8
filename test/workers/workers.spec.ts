import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/lib/ports.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { bearer, connectClients } from '../support/callers/grpc-clients.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { Person } from '../support/callers/person.js';
import { childrenOf, isRunning } from '../support/processes/processes.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { BURST, Callers, logged, TEN_AT_ONCE } from './workers.js';

const CALLERS = 8;
const GRANTED = { outcome: 'granted' };
/** No worker starts for as long as this file exists. */
const BLOCK = join(tmpdir(), `block-${randomUUID()}`);
const BLOCKABLE = `import { existsSync } from 'node:fs'; if (existsSync('${BLOCK}')) process.exit(1);`;

describe('WORKERS=2', () => {
  let callers: Callers | undefined;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProcess;
  let metrics: string;
  let person: Person;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    const port = String(await freePort());
    service = await ServiceProcess.startReady({
      WORKERS: '2',
      METRICS_PORT: port,
      DATABASE_URL: database.url,
      REDIS_URL: process.env['LATCHKEY_TEST_REDIS_URL']!,
      ...TEN_AT_ONCE,
      LOG_LEVEL: 'info',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BLOCKABLE)}`,
    });
    metrics = `http://127.0.0.1:${port}`;
    person = await new Person(service.url).signIn();
  });
  afterEach(() => callers?.close());
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  const newKey = async () => (await person.newKey()).fullKey;
  const granted = async () => (await readMetrics(metrics)).sum('latchkey_validations_total', GRANTED);

  /** How many of 40 validations over 8 connections are granted. The workers get connections in turn. */
  async function admitted(fullKey: string): Promise<number> {
    callers = new Callers(service.target, fullKey, CALLERS);
    const outcomes = (await callers.validateUntil(({ length }) => length === 5)).flat();
    callers.close();
    return outcomes.filter((outcome) => outcome === 'grant').length;
  }

  /** One line from each worker that has ever listened. */
  const listening = () => logged(service).filter(({ msg }) => msg === 'listening').length;

  test('both workers charge the same limit in Redis', async () => {
    const fallbacks = async () => (await readMetrics(metrics)).sum('latchkey_redis_fallbacks_total');
    // Repeated if Redis was late: then a worker decided alone and counted a fallback.
    const undisturbed = async () => {
      const { apiKey, fullKey } = await person.newKey();
      const [before, startedAt] = [await fallbacks(), performance.now()];
      const grants = await admitted(fullKey);
      const refilled = Math.ceil((performance.now() - startedAt) / 1000);
      await person.revoke(apiKey.id);
      return (await fallbacks()) === before && { grants, most: BURST + refilled };
    };
    const { grants, most } = await eventually(undisturbed);
    expect(grants).toBeGreaterThanOrEqual(BURST);
    expect(grants).toBeLessThanOrEqual(most);
    expect(logged(service).filter(({ level, msg }) => level >= 40 && msg.includes('REDIS_URL'))).toEqual([]);
  });

  test('metrics are the sum over both workers, regardless of which one answers', async () => {
    const before = await granted();
    const sum = before + (await admitted(await newKey()));
    const pages = await Promise.all(Array.from({ length: 4 }, () => readMetrics(metrics)));
    expect(pages.map((page) => page.sum('latchkey_validations_total', GRANTED))).toEqual(new Array(4).fill(sum));
    expect(pages[0]!.sum('latchkey_validation_duration_seconds_count', GRANTED)).toBe(sum);
    expect(pages[0]!.sum('latchkey_workers')).toBe(2);
    expect(pages[0]!.sum('latchkey_ready')).toBe(1);
    expect(pages[0]!.sum('latchkey_postgres_connections_max', { pool: 'validation' })).toBe(4);
  });

  test('METRICS_PORT serves only metrics and health, and HTTP_PORT serves no metrics', async () => {
    const answer = async (url: string, method = 'GET') => (await fetch(url, { method })).status;
    expect(await answer(`${service.url}/metrics`)).toBe(404);
    expect(await answer(`${service.url}/livez`)).toBe(200);
    expect(await answer(`${metrics}/livez`)).toBe(200);
    expect(await answer(`${metrics}/readyz`)).toBe(200);
    for (const path of ['/', '/v1/api-keys', '/openapi.json', '/settings/api-keys']) {
      expect([path, await answer(metrics + path)]).toEqual([path, 404]);
    }
    expect(await answer(`${metrics}/metrics`, 'POST')).toBe(404);
  });

  test('a killed worker is replaced, also after failed starts, while the other serves and metrics do not decrease', async () => {
    await admitted(await newKey());
    const [fullKey, before, counted] = [await newKey(), listening(), await granted()];
    const ends = () => logged(service).filter(({ msg }) => msg === 'a worker ended and is replaced');
    const [victim] = childrenOf(service.pid);
    writeFileSync(BLOCK, '');
    try {
      process.kill(victim!, 'SIGKILL');
      await eventually(async () => ends().length >= 3);
      expect(ends()[0]).toMatchObject({ pid: victim, signal: 'SIGKILL', exitCode: null });
      // At once only after the victim, if it had worked for long enough.
      expect(
        ends()
          .slice(1)
          .map(({ pauseMs }) => pauseMs),
      ).not.toContain(0);
      callers = new Callers(service.target, fullKey, 2);
      expect(await callers.validateUntil(({ length }) => length === 1)).toEqual([['grant'], ['grant']]);
      expect(await granted()).toBe(counted + 2);
    } finally {
      rmSync(BLOCK);
    }
    await eventually(async () => listening() === before + 1);
    expect(childrenOf(service.pid)).toHaveLength(2);
    expect(childrenOf(service.pid)).not.toContain(victim);
    expect(await admitted(await newKey())).toBeGreaterThan(0);
    expect(await granted()).toBeGreaterThan(counted + 2);
    expect((await readMetrics(metrics)).sum('latchkey_workers')).toBe(2);
  });

  test('both workers end in an orderly way when their parent is killed', async () => {
    const fullKey = await newKey();
    const workers = childrenOf(service.pid);
    const { apiKeys, close } = connectClients(service.target);
    try {
      const stream = apiKeys.validateKeys(bearer('dev-validator-token'));
      stream.on('error', () => undefined);
      const streamEnd = new Promise<{ code: number }>((resolve) => stream.on('status', resolve));
      stream.write({ apiKey: fullKey, operation: 'OPERATION_READ' });
      await once(stream, 'data');
      service.child.kill('SIGKILL');
      // A call that was cut off would be UNAVAILABLE.
      expect((await streamEnd).code).toBe(status.OK);
      expect(await service.ended).toMatchObject({ signal: 'SIGKILL', err: '' });
      await eventually(async () => !workers.some(isRunning));
    } finally {
      close();
    }
  });
});
