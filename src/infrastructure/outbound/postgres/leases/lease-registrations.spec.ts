import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  openApplication,
  openOnOwnDatabase,
  type OwnApplication,
} from '../../../../../test/support/application/application.js';
import { eventually } from '../../../../../test/support/eventually.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app.close());
beforeEach(() => app.sql('TRUNCATE lease_registrations, lease_timeline'));

const giver = () => ({ id: randomUUID(), leaseMs: 2000 });
const timelines = () => app.sql<{ timeline: string }>('SELECT timeline FROM lease_timeline');
const registered = async () => (await app.leaseRegistrations.read()).registrations.length;

/** A transaction that found no row of lease_timeline, and ends when the test says so. */
async function findsNoTimeline(): Promise<() => Promise<void>> {
  let end = () => {};
  const transaction = new Promise<() => Promise<void>>((resolve, reject) => {
    const whole = app.database.transaction(async (manager) => {
      expect(await manager.query('SELECT FROM lease_timeline')).toEqual([]);
      await new Promise<void>((ended) => {
        end = ended;
        resolve(async () => {
          end();
          await whole;
        });
      });
    });
    whole.catch(reject);
  });
  return transaction;
}

test('the first registration ever names the timeline, and later ones leave it as it is', async () => {
  const [{ current }] = (await app.sql<{ current: string }>(
    `SELECT timeline_id::text AS current FROM pg_control_checkpoint()`,
  )) as [{ current: string }];
  await app.leaseRegistrations.add(giver());
  expect(await timelines()).toEqual([{ timeline: current }]);
  await app.sql('UPDATE lease_timeline SET timeline = 9');
  await app.leaseRegistrations.add(giver());
  expect([await timelines(), await registered()]).toEqual([[{ timeline: '9' }], 2]);
});

test('many processes that register first at the same moment all succeed sooner or later', async () => {
  const others = await Promise.all([1, 2].map(() => openApplication(app.databaseUrl)));
  const givers = Array.from({ length: 12 }, giver);
  await Promise.all(
    givers.map((each, index) =>
      eventually(() =>
        [app, ...others][index % 3]!.leaseRegistrations.add(each).then(
          () => true,
          (error) => {
            expect(error).toMatchObject({ code: 'unavailable' });
            return false;
          },
        ),
      ),
    ),
  );
  expect([await registered(), (await timelines()).length]).toEqual([12, 1]);
  await Promise.all(others.map((other) => other.close()));
});

test('the first registration ever waits for a change that found none, and gives up soon, so that others do not wait', async () => {
  const end = await findsNoTimeline();
  await expect(app.leaseRegistrations.add(giver())).rejects.toMatchObject({ code: 'unavailable' });
  expect([await registered(), await timelines()]).toEqual([0, []]);
  // Its request for the lock is withdrawn, so another change reads the table at once.
  await (
    await findsNoTimeline()
  )();
  await end();
  await app.leaseRegistrations.add(giver());
  expect(await registered()).toBe(1);
});

test('a later registration waits for nobody', async () => {
  await app.leaseRegistrations.add(giver());
  const reads = await app.database.transaction(async (manager) => {
    await manager.query('SELECT FROM lease_timeline');
    await app.leaseRegistrations.add(giver());
    return registered();
  });
  expect(reads).toBe(2);
});
