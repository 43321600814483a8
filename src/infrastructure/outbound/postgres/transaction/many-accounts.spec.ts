import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newOwner, openOnOwnDatabase, type OwnApplication } from '#test/support/application/application.js';
import { rowsRead } from '#test/support/stores/rows-read.js';
import { PostgresAccounts } from './accounts.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());

test('Counting service accounts without managers reads only them and their managers, among 50,000 persons', async () => {
  await app.sql(
    `INSERT INTO accounts (id, email, email_key, display_name, permissions, status, version)
     SELECT 'p' || n, n || '@many', n || '@many', '', '{}', 'active', 0 FROM generate_series(1, 50000) AS n`,
  );
  const { id } = await newOwner(app);
  for (const bot of ['bot1', 'bot2', 'bot3']) {
    const profile = { email: '', displayName: 'CI bot', permissions: [], managers: [id, 'p1'] };
    await app.putAccount.execute({ id: bot, kind: 'service', ...profile });
  }
  await app.sql('ANALYZE accounts');
  const count = (explained: typeof app.database) =>
    new PostgresAccounts(explained, app.outboxWriter, false).countWithoutManagers();
  expect(await rowsRead(app.database, count)).toBeLessThanOrEqual(3 + 3 * 2);
  expect(await count(app.database)).toBe(0);
});
