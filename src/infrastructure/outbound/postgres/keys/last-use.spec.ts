import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createKey, newOwner, openApplication, type Application } from '../../../../../test/support/application.js';
import { createDatabase } from '../../../../../test/support/databases.mjs';
import { eventually } from '../../../../../test/support/eventually.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

const newKey = async () => (await createKey(app, (await newOwner(app)).id)).key.id;
async function lastUseOf(keyId: string): Promise<Date | undefined> {
  const [row] = await app.sql<{ last_used_at: Date }>(`SELECT last_used_at FROM api_key_usage WHERE key_id = $1`, [
    keyId,
  ]);
  return row?.last_used_at;
}
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second, 789));

test('a first use is written by itself; of later ones the last, once the key has rested', async () => {
  const [busy, other] = [await newKey(), await newKey()];
  app.lastUse.note(busy, at(1));
  await eventually(async () => (await lastUseOf(busy)) !== undefined);
  expect(await lastUseOf(busy)).toEqual(at(1));
  app.lastUse.note(busy, at(2));
  app.lastUse.note(busy, at(3));
  app.lastUse.note(other, at(1));
  // That was a second, which left the busy key alone.
  await eventually(async () => (await lastUseOf(other)) !== undefined);
  expect(await lastUseOf(busy)).toEqual(at(1));
  await app.lastUse.flush();
  expect(await lastUseOf(busy)).toEqual(at(3));
});

test('never goes backwards, whoever writes last', async () => {
  const keyId = await newKey();
  app.lastUse.note(keyId, at(5));
  app.lastUse.note(keyId, at(4));
  await app.lastUse.flush();
  app.lastUse.note(keyId, at(3));
  await app.lastUse.flush();
  expect(await lastUseOf(keyId)).toEqual(at(5));
});
