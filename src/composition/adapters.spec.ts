import { afterEach, expect, jest, test } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { PostgresStoredCosts } from '#infrastructure/outbound/postgres/sign-in/decoys.js';
import { createDataSource } from '#infrastructure/outbound/postgres/schema.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { buildAdapters } from './adapters.js';

const DATABASE_URL = 'postgres://127.0.0.1:1/nowhere';

afterEach(() => void jest.restoreAllMocks());

test('a sign-in with an unknown email costs as much as the stored hashes', async () => {
  const read = jest.spyOn(PostgresStoredCosts.prototype, 'read');
  read.mockResolvedValue({ key: Buffer.alloc(32), costs: [] });
  const primary = primaryAt(DATABASE_URL);
  const telemetry = { log: new Log('silent'), traces: NO_TRACES };
  const { passwords } = buildAdapters(
    readConfig({ DEMO: '1', DATABASE_URL }),
    primary,
    createDataSource(primary),
    telemetry,
  );
  await passwords.refreshDecoys();
  expect(read).toHaveBeenCalledTimes(1);
});
