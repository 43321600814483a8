import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { FakeStore } from '../../../test/fakes/fake-store.js';
import { createKey, newOwner, POLICY, times } from '../../../test/support/application/calls.js';
import type { NoticeReceivers } from '../../domain/notices/channel.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { DAY_MS } from '../../domain/time.js';
import { saveKeys } from '../keys/change-keys.js';
import type { DueKeys } from '../ports.js';
import { NotifyOfDueKeys } from './notify-of-due-keys.js';
import { THE_SERVICE } from '../../domain/audit/audit-event.js';

const BOTH = { webhook: true, mail: true };

/** Instances of one service, each with its own settings. */
function openService() {
  const store = new FakeStore();
  const start = (noticeReceivers: NoticeReceivers = BOTH, expiryNoticeDays = [30, 7, 1]) =>
    openFakes({ store, settings: { noticeReceivers, expiryNoticeDays } });
  const written = () =>
    [...store.outbox.values()].filter(({ channel }) => channel === 'webhook').map(({ type }) => type);
  return { store, start, written };
}

async function keyOf90Days(app: ReturnType<typeof openFakes>) {
  const { id } = await newOwner(app);
  const { key } = await createKey(app, id, { expiresInDays: 90 });
  app.store.outbox.clear();
  return key;
}

describe('a due notice', () => {
  test('is written by one of several instances', async () => {
    const { store, start, written } = openService();
    await keyOf90Days(start());
    store.pass(60 * DAY_MS);
    expect([await start().notifyOfDueKeys.execute(), await start().notifyOfDueKeys.execute()]).toEqual([1, 0]);
    expect(written()).toEqual(['api_key.expiring']);
  });

  test.each<[string, NoticeReceivers, number[]]>([
    ['no receiver is configured', { webhook: false, mail: false }, [30, 7, 1]],
    ['no notice days are set', BOTH, []],
  ])('is not written while %s; later only the one for the fewest days is written', async (_when, receivers, days) => {
    const { store, start, written } = openService();
    await keyOf90Days(start());
    store.pass(60 * DAY_MS);
    expect(await start(receivers, days).notifyOfDueKeys.execute()).toBe(0);
    store.pass(24 * DAY_MS);
    const app = start();
    expect([await app.notifyOfDueKeys.execute(), await app.notifyOfDueKeys.execute()]).toEqual([1, 0]);
    expect(written()).toEqual(['api_key.expiring']);
  });

  test.each<NoticeReceivers>([
    { webhook: true, mail: false },
    { webhook: false, mail: true },
  ])('of a coming expiry is written for either receiver: %j', async (receivers) => {
    const { store, start } = openService();
    await keyOf90Days(start());
    store.pass(60 * DAY_MS);
    expect(await start(receivers).notifyOfDueKeys.execute()).toBe(1);
  });

  test('of an unused rotation is not written while mail is the only receiver, because it is not mailed', async () => {
    const { store, start, written } = openService();
    const key = await keyOf90Days(start());
    await start().accounts.transaction(key.ownerId, async (transaction) => {
      const keys = new OwnerKeys(await transaction.openKeys());
      const order = { id: 'successor', graceSeconds: 60, expiresInDays: undefined, policy: POLICY };
      keys.rotate(key.id, order, KeyString.generate('lk'), transaction.now);
      await saveKeys(transaction, { keys, actor: THE_SERVICE });
    });
    store.outbox.clear();
    store.pass(8 * DAY_MS);
    expect(await start({ webhook: false, mail: true }).notifyOfDueKeys.execute()).toBe(0);
    expect(await start().notifyOfDueKeys.execute()).toBe(1);
    expect(written()).toEqual(['api_key.rotation_unused']);
  });

  test.each<[number, number[]]>([
    [499, [499]],
    [500, [500, 0]],
    [501, [500, 1]],
    [1000, [500, 500, 0]],
  ])('is written for each of %d keys, in transactions of at most 500', async (count, batches) => {
    const { store, start, written } = openService();
    const { id } = await keyOf90Days(start());
    const template = store.keys.get(id)!;
    store.keys.delete(id);
    for (const one of times(count, String)) {
      store.keys.set(one, { ...template, state: { ...template.state, id: one } });
    }
    store.pass(60 * DAY_MS);
    const { dueKeys } = start();
    const saved: [string, number][] = [];
    const notify: DueKeys['notify'] = async (query, decide) => {
      const notices = await dueKeys.notify(query, decide);
      saved.push([query.type, notices]);
      return notices;
    };
    expect(await new NotifyOfDueKeys({ ...dueKeys, notify }, [30, 7, 1], BOTH).execute()).toBe(count);
    expect(saved.filter(([type]) => type === 'api_key.expiring').map(([, notices]) => notices)).toEqual(batches);
    expect(written()).toHaveLength(count);
  });
});
