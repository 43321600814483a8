import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../../../scripts/lib/ports.mjs';
import { eventually } from '../../../../../test/support/eventually.js';
import { createDatabase } from '../../../../../test/support/stores/databases.mjs';
import { primaryAt } from '../../../../../test/support/stores/primary.js';
import { sql } from '../../../../../test/support/stores/sql.js';
import type { Recall } from '../../../../domain/leases/giving.js';
import { LeaseMessages } from './lease-messages.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
const opened: LeaseMessages[] = [];
beforeAll(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
afterAll(() => database.drop());

/** A process, with what it hears. */
async function open({ isGiver = true, url = database.url, pooling = 'session' as 'session' | 'transaction' } = {}) {
  const messages = new LeaseMessages(primaryAt(url, { pooling }), isGiver);
  opened.push(messages);
  const [recalls, acknowledged]: [Recall[], string[][]] = [[], []];
  messages.onChange((recall) => recalls.push(recall));
  messages.onAcknowledged((giverId, notificationId) => acknowledged.push([giverId, notificationId]));
  await messages.open();
  return { messages, recalls, acknowledged };
}
const notify = (payload: string) => sql(database.url, `SELECT pg_notify('latchkey_leases', $1)`, [payload]);
const LISTENING = `FROM pg_stat_activity WHERE application_name = 'latchkey leases' AND datname = current_database()`;
const listening = async () => (await sql(database.url, `SELECT ${LISTENING}`)).length;

test('a change reaches every process that gives leases, and the acknowledgements reach the process that waits', async () => {
  const givers = [await open(), await open()];
  const waiting = await open({ isGiver: false });
  await waiting.messages.listenFor(async () => {
    await notify('{"id":"n1","owner":"Ann"}');
    for (const [index, { recalls, messages }] of givers.entries()) {
      await eventually(async () => recalls.length > 0);
      expect(recalls).toEqual([{ notificationId: 'n1', ownerId: 'Ann' }]);
      messages.acknowledge(`r${index}`, 'n1');
    }
    await eventually(async () => waiting.acknowledged.length === 2);
  });
  expect(waiting.acknowledged.toSorted()).toEqual([
    ['r0', 'n1'],
    ['r1', 'n1'],
  ]);
  expect(waiting.recalls).toEqual([]);
});

test('a change whose owner cannot be read touches every lease', async () => {
  const { recalls } = await open();
  for (const payload of ['{"id":"n1"}', '{"id":"n2","owner":7}', 'of a later release', '']) await notify(payload);
  await eventually(async () => recalls.length === 4);
  expect(recalls.map(({ ownerId }) => ownerId)).toEqual([undefined, undefined, undefined, undefined]);
  expect(recalls.map(({ notificationId }) => notificationId)).toEqual(['n1', 'n2', '', '']);
});

test('a connection that was lost is made again', async () => {
  const { recalls } = await open();
  await sql(database.url, `SELECT pg_terminate_backend(pid) ${LISTENING}`);
  await eventually(async () => {
    await notify('{"id":"n1","owner":"Ann"}');
    return recalls.length > 0;
  });
});

test('a process that gives no leases is connected only while it waits', async () => {
  const { messages } = await open({ isGiver: false });
  expect(await listening()).toBe(0);
  let end = () => {};
  const first = messages.listenFor(() => new Promise<void>((resolve) => (end = resolve)));
  expect(await messages.listenFor(listening)).toBe(1);
  expect(await listening()).toBe(1);
  end();
  await first;
  await eventually(async () => (await listening()) === 0);
});

test('through a pool nothing is heard, and nothing is connected', async () => {
  const { messages } = await open({ pooling: 'transaction' });
  expect(await messages.listenFor(listening)).toBe(0);
  messages.acknowledge('r1', 'n1');
});

test('the work begins even if PostgreSQL cannot be reached', async () => {
  const url = new URL(database.url);
  url.port = String(await freePort());
  const { messages } = await open({ url: url.href });
  expect(await messages.listenFor(async () => 'done')).toBe('done');
  messages.acknowledge('r1', 'n1');
});
