import { expect, test } from '@jest/globals';
import { openDatabase } from '#infrastructure/outbound/postgres/open-database.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { primaryAt } from '../support/stores/primary.js';

test('instances that start together on an empty database migrate it once, and all of them start', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { url, drop } = await createDatabase();
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(primaryAt(url), 'lk')));
    const [{ count }] = await opened[0]!.query<[{ count: string }]>('SELECT count(*) FROM migrations');
    expect(Number(count)).toBe(opened[0]!.migrations.length);
    await Promise.all(opened.map((dataSource) => dataSource.destroy()));
    await drop();
  }
});
