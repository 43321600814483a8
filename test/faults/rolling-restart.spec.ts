import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, type Decision, type FailureEvent, type Guard } from '@latchkey/guard';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { isLong, shortOrLong, printFigures } from '../support/jest/long-form.js';
import { CALL_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import { Person } from '../support/callers/person.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { freePorts } from '../support/processes/hosted-service.mjs';
import { startService, type Service } from '../support/processes/service.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const CALLERS = 32;
/** The pause between two requests of one caller: an ordinary load, not a measurement of the maximum. */
const PACE_MS = 4;
const ROUNDS = shortOrLong(1, 10);
/** How long a request may wait because of a restart. The long form prints it. */
const PROMISED_MS = 1000;

type Instance = Pick<Service, 'url' | 'grpcTarget' | 'stop'>;

/** In separate processes when waiting times are measured, so that one start does not delay the others. */
async function startInstance(env: Record<string, string>): Promise<Instance> {
  if (!isLong) return startService(env);
  const service = await ServiceProcess.startReady(env);
  const stop = async () => {
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, signal: null, err: '' });
  };
  return { url: service.url, grpcTarget: service.target, stop };
}

describe('two instances behind one guard', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let instances: { ports: Record<string, string>; service: Instance }[];
  let guard: Guard;
  const load = { isOver: false, granted: 0, refused: [] as Decision[], slowestMs: 0 };
  let callers: Promise<void>[];
  const failures: FailureEvent[] = [];
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    const ports = [await freePorts(), await freePorts()];
    instances = await Promise.all(ports.map(async (own) => ({ ports: own, service: await start(own) })));
    const { fullKey } = await (await new Person(instances[0]!.service.url).signIn()).newKey();
    const targets = instances.map(({ service }) => service.grpcTarget);
    guard = createGuard({
      target: `ipv4:${targets.join(',')}`,
      serviceToken: 'dev-validator-token',
      deadlineMs: CALL_TIMEOUT_MS,
      onError: (event) => failures.push(event),
    });
    await eventually(async () => (await guard.check({ authorization: [`Bearer ${fullKey}`], method: 'GET' })).allowed);
    failures.splice(0);
    callers = Array.from({ length: CALLERS }, () => sendRequests(fullKey));
  });
  afterAll(async () => {
    await stopLoad();
    guard.close();
    await Promise.all(instances.map(({ service }) => service.stop()));
    await database.drop();
  });

  const sendRequests = async (fullKey: string) => {
    while (!load.isOver) {
      const startedAt = performance.now();
      const decision = await guard.check({ authorization: [`Bearer ${fullKey}`], method: 'GET' });
      load.slowestMs = Math.max(load.slowestMs, performance.now() - startedAt);
      if (decision.allowed) load.granted += 1;
      else load.refused.push(decision);
      await pause(PACE_MS);
    }
  };
  const stopLoad = () => {
    load.isOver = true;
    return Promise.all(callers);
  };
  const start = (ports: Record<string, string>) =>
    startInstance({ DATABASE_URL: database.url, ...UNLIMITED, ...ports });
  const moreGrants = (count: number) => {
    const before = load.granted;
    return eventually(async () => load.granted > before + count);
  };

  test('are restarted one after the other under load, and no request fails', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const instance of instances) {
        await moreGrants(200);
        await instance.service.stop();
        await moreGrants(200);
        instance.service = await start(instance.ports);
        // The guard tries again at most a second apart to reach an instance that was away.
        await eventually(async () => (await readMetrics(instance.service.url)).sum('latchkey_validations_total') > 0);
      }
    }
    await stopLoad();
    const { granted, refused, slowestMs } = load;
    printFigures('rolling restart', {
      restarts: ROUNDS * instances.length,
      granted,
      failed: failures.length,
      'slowest ms': Math.round(slowestMs),
      'promised ms': PROMISED_MS,
    });
    expect({ failures, refused }).toEqual({ failures: [], refused: [] });
  });
});
