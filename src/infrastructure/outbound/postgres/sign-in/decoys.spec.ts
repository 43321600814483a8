import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newOwner, openOnOwnDatabase, type OwnApplication } from '#test/support/application/application.js';
import { sql } from '#test/support/stores/sql.js';
import { PostgresStoredCosts } from './decoys.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());

const hashAt = (kib: number) =>
  `$argon2id$v=19$m=${kib},t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g`;
const read = () => new PostgresStoredCosts(app.database).read();
const sorted = async () => (await read()).costs.toSorted((one, other) => (one.settings < other.settings ? -1 : 1));

test('finds no costs before a password is stored', async () => {
  expect(await read()).toMatchObject({ costs: [] });
});

test('counts the accounts of each cost without reading a salt or a hash', async () => {
  await newOwner(app, { passwordHash: hashAt(8192) });
  await newOwner(app, { passwordHash: hashAt(8192) });
  await newOwner(app, { passwordHash: hashAt(19_456) });
  const [, last] = [await newOwner(app), await newOwner(app)];
  await app.sql(`UPDATE accounts SET password_hash = $1 WHERE id = $2`, [`$2y$10$${'.'.repeat(53)}`, last.id]);
  await app.sql(`INSERT INTO accounts SELECT 'none', 'n', 'n', '', '{}', NULL, 'active', 0`);
  expect(await sorted()).toEqual([
    { settings: '$2y$10', accounts: 1 },
    { settings: '$argon2id$v=19$m=1024,t=1,p=1', accounts: 1 },
    { settings: '$argon2id$v=19$m=19456,t=2,p=1', accounts: 1 },
    { settings: '$argon2id$v=19$m=8192,t=2,p=1', accounts: 2 },
  ]);
});

test('reads a random key of 32 bytes that stays the same and differs in another database', async () => {
  const { key } = await read();
  expect(key).toHaveLength(32);
  expect((await read()).key).toEqual(key);
  const elsewhere = await openOnOwnDatabase();
  try {
    expect((await new PostgresStoredCosts(elsewhere.database).read()).key).not.toEqual(key);
  } finally {
    await elsewhere.close();
  }
});

test('reads a sample of very many accounts', async () => {
  // Not over the application's connections, which time out a statement after five seconds.
  await sql(
    app.databaseUrl,
    `INSERT INTO accounts SELECT 'm' || n, 'm' || n, 'm' || n, '', '{}', $1 || n, 'active', 0 FROM generate_series(1, 300000) n`,
    [`$argon2id$v=19$m=4096,t=2,p=1$salt$`],
  );
  await sql(app.databaseUrl, 'ANALYZE accounts');
  const most = (await sorted()).find(({ settings }) => settings.includes('m=4096'))!;
  expect(most.accounts).toBeGreaterThan(70_000);
  expect(most.accounts).toBeLessThan(130_000);
});
