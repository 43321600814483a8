import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  client,
  createKey,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  type Application,
  type OwnApplication,
} from '#test/support/application/application.js';
import { eventually } from '#test/support/eventually.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());

const newKey = async () => (await createKey(app, (await newOwner(app)).id)).key.id;
async function lastUseOf(keyId: string): Promise<Date | undefined> {
  const [row] = await app.sql<{ last_used_at: Date }>(`SELECT last_used_at FROM api_key_usage WHERE key_id = $1`, [
    keyId,
  ]);
  return row?.last_used_at;
}
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second, 789));

test('writes a first use at once, and the last of later uses after a pause', async () => {
  const [busy, other] = [await newKey(), await newKey()];
  app.usage.noteGrant(busy, null, null, at(1));
  await eventually(async () => (await lastUseOf(busy)) !== undefined);
  expect(await lastUseOf(busy)).toEqual(at(1));
  app.usage.noteGrant(busy, null, null, at(2));
  app.usage.noteGrant(busy, null, null, at(3));
  app.usage.noteGrant(other, null, null, at(1));
  // One second has passed, in which the busy key was not written.
  await eventually(async () => (await lastUseOf(other)) !== undefined);
  expect(await lastUseOf(busy)).toEqual(at(1));
  await app.usage.flush();
  expect(await lastUseOf(busy)).toEqual(at(3));
});

test('never moves a last use back when an earlier use is written later', async () => {
  const keyId = await newKey();
  app.usage.noteGrant(keyId, null, null, at(5));
  app.usage.noteGrant(keyId, null, null, at(4));
  await app.usage.flush();
  app.usage.noteGrant(keyId, null, null, at(3));
  await app.usage.flush();
  expect(await lastUseOf(keyId)).toEqual(at(5));
});

const lastUseInList = async (instance: Application, ownerId: string) =>
  (await instance.listKeysOfOwner.execute(ownerId, undefined, { limit: 50 })).items[0]!.lastUsedAt;

test('shows a use in the list within two seconds of the grant', async () => {
  // Waiting for PostgreSQL keeps real time. Only intervals follow the test's clock.
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  });
  const instance = await openApplication(app.databaseUrl);
  try {
    const { id } = await newOwner(instance);
    const { fullKey, now } = await createKey(instance, id);
    expect(await lastUseInList(instance, id)).toBeNull();
    const { verdict } = await instance.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    expect(verdict.granted).toBe(true);
    jest.advanceTimersByTime(2000);
    const seen = await eventually(() => lastUseInList(instance, id));
    expect(seen.getTime()).toBeGreaterThanOrEqual(now.getTime());
  } finally {
    jest.useRealTimers();
    await instance.close();
  }
});

test('never moves a last use back, in any order of notes, flushes and instances', async () => {
  const other = await openApplication(app.databaseUrl);
  const { id } = await newOwner(app);
  const { key } = await createKey(app, id);
  const noon = Date.parse('2026-06-01T12:00:00Z');
  let greatest = 0;
  for (const [minute, instance] of [
    [5, app],
    [3, app],
    [9, other],
    [7, app],
    [8, other],
    [10, app],
    [1, other],
  ] as const) {
    instance.usage.noteGrant(key.id, null, null, new Date(noon + minute));
    instance.usage.noteGrant(key.id, null, null, new Date(noon + minute - 1));
    await instance.usage.flush();
    greatest = Math.max(greatest, minute);
    expect(await lastUseInList(app, id)).toEqual(new Date(noon + greatest));
  }
  await other.close();
});
