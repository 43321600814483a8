import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { connectClients } from '../support/callers/grpc-clients.js';
import { Person } from '../support/callers/person.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { freePorts } from '../support/processes/hosted-service.mjs';
import { sql } from '../support/stores/sql.js';
import { OwnPostgres } from './own-postgres.js';

describe('SIGTERM while PostgreSQL neither answers nor closes a connection', () => {
  let postgres: OwnPostgres;
  beforeAll(async () => {
    await buildService();
    postgres = await OwnPostgres.start();
  });
  afterEach(async () => {
    await ServiceProcess.killTheRest();
    postgres.resume();
  });
  afterAll(() => postgres.remove());

  /** Nothing else ends the process: no signal of a launcher, and no answer of PostgreSQL. */
  async function expectToEnd(when: string, { child, ended }: ServiceProcess): Promise<void> {
    const signalledAt = performance.now();
    child.kill('SIGTERM');
    expect((await ended).signal).toBeNull();
    printFigures(`SIGTERM ${when}, PostgreSQL silent`, {
      'ended after ms': Math.round(performance.now() - signalledAt),
    });
  }

  test('ends a process that is starting', async () => {
    const service = new ServiceProcess({ DATABASE_URL: postgres.url, DEMO: '1', ...(await freePorts()) });
    const sessions = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'latchkey'`;
    await eventually(async () => (await sql(postgres.url, sessions)).length > 0);
    postgres.pause();
    await expectToEnd('during the start', service);
  });

  test('ends a process in the middle of requests', async () => {
    const env = { DATABASE_URL: postgres.url, DATABASE_PATIENCE_MS: '120' };
    const service = await ServiceProcess.startReady(env);
    const person = await new Person(service.url).signIn();
    const { fullKey } = await person.newKey();
    const clients = connectClients(service.target);
    await clients.validate(fullKey);
    postgres.pause();
    const failed = () => undefined;
    const underWay = [
      ...[fullKey, 'lk_nonsense'].map((key) => clients.validate(key).catch(failed)),
      ...Array.from({ length: 12 }, () => person.call('GET', '/v1/api-keys').catch(failed)),
    ];
    await expectToEnd('during requests', service);
    await Promise.all(underWay);
    clients.close();
  });
});
