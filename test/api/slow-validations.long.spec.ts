import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/stores/databases.mjs';
import { SlowLine } from '../support/stores/slow-line.js';
import { newOwner } from '../support/callers/owners.js';
import { PrintedLog } from '../support/reading/printed-log.js';
import { type Service, startServiceHere } from '../support/processes/service.js';

const DELAY_MS = 60;

describe('a slow validation', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: SlowLine;
  let log: PrintedLog;
  let service: Service;
  beforeAll(async () => {
    database = await createDatabase();
    line = await SlowLine.to(database.url);
    log = new PrintedLog();
    service = await startServiceHere({
      DATABASE_URL: line.instead(database.url),
      DATABASE_PATIENCE_MS: '60000',
      SLOW_VALIDATION_MS: String(DELAY_MS),
      LOG_LEVEL: 'warn',
    });
  });
  afterAll(async () => {
    await service?.stop();
    log.stop();
    line.close();
    await database.drop();
  });

  const explained = (requestId: string) =>
    log.named('slow validation').filter((entry) => entry['requestId'] === requestId);
  const number = (value: unknown) => value as number;

  test('is logged in one line, whose parts show that PostgreSQL took the time', async () => {
    const { fullKey } = await (await newOwner(service)).person.newKey();
    line.delayMs = DELAY_MS;
    await service.clients.validate(fullKey, { requestId: 'through the slow line' });
    line.delayMs = 0;
    const [entry, ...more] = explained('through the slow line');
    expect([entry, more]).toMatchObject([{ level: 40, service: 'dev-validator', outcome: 'granted' }, []]);
    const { totalMs, batchMs, postgresqlMs, limitsMs, recordMs, restMs } = entry!;
    expect(number(postgresqlMs)).toBeGreaterThanOrEqual(DELAY_MS);
    const sum = [batchMs, postgresqlMs, limitsMs, recordMs, restMs].map(number).reduce((one, other) => one + other);
    expect(number(totalMs)).toBeCloseTo(sum, 0);
    expect(recordMs).toBe(0);
  });

  test('that is denied is logged with the time of the commit of its event', async () => {
    line.delayMs = DELAY_MS;
    await service.clients.validate('not a key', { requestId: 'a malformed one' });
    line.delayMs = 0;
    const [entry] = explained('a malformed one');
    expect(entry).toMatchObject({ outcome: 'denied', reason: 'invalid-key', batchMs: 0, postgresqlMs: 0 });
    expect(number(entry!['recordMs'])).toBeGreaterThanOrEqual(DELAY_MS);
  });
});
