import { expect, test } from '@jest/globals';
import { FakeStore } from '../../../test/fakes/fake-store.js';
import { FakeLeaseMessages, fakePendingChanges } from '../../../test/fakes/leases/fake-pending-changes.js';
import { outcomeOf } from '../../../test/support/application/calls.js';
import { ChangeWait } from '../../domain/leases/change-wait.js';
import { ChangeWaits } from './change-waits.js';

/** Resolves after everything that can go on without the clock. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A process on a store, whose clock the test moves. */
function setUp() {
  const store = new FakeStore();
  store.completeTimeline = 1;
  store.givers = [
    { id: 'r1', leaseMs: 1000 },
    { id: 'r2', leaseMs: 2000 },
  ];
  const timers = new Map<() => void, number>();
  const clock = {
    ms: 100,
    nowMs: () => clock.ms,
    at: (ms: number, run: () => void) => {
      timers.set(run, ms);
      return () => void timers.delete(run);
    },
  };
  const pass = async (ms: number) => {
    clock.ms = ms;
    for (const [run, at] of [...timers]) if (at <= ms && timers.delete(run)) run();
    await settled();
  };
  const [leaseMessages, waited] = [new FakeLeaseMessages(), [] as unknown[]];
  const pendingChanges = fakePendingChanges(store);
  const changeMeter = { waited: (...call: unknown[]) => void waited.push(call) };
  const waits = new ChangeWaits({ pendingChanges, leaseMessages, changeMeter }, clock);
  /** A call of Ann, with the outcome once it may be answered. */
  const begin = async (isChange = true) => {
    const found = store.leases('Ann');
    const hasTimeline = found.completeTimeline !== undefined;
    const changeId = `c${store.recalls.length}`;
    const wait = new ChangeWait(changeId, { isChange, hasTimeline, pending: found.pending });
    if (wait.insertsRow) store.pendingChanges.set(changeId, 'Ann');
    const call = { outcome: undefined as string | undefined };
    void outcomeOf(waits.answerable({ ownerId: 'Ann', found, wait })).then((outcome) => (call.outcome = outcome));
    await settled();
    return call;
  };
  const acknowledge = async (giverId: string, recall = 0) => {
    leaseMessages.acknowledge(giverId, store.recalls[recall]!.notificationId);
    await settled();
  };
  return { store, clock, pass, waits, pendingChanges, waited, begin, acknowledge };
}

test('a change is answered once all givers have acknowledged it, and its row is deleted', async () => {
  const { store, begin, acknowledge, waited, clock } = setUp();
  const call = await begin();
  expect(store.recalls).toEqual([{ notificationId: expect.any(String), ownerId: 'Ann' }]);
  await acknowledge('r1');
  expect([call.outcome, store.pendingChanges.size]).toEqual([undefined, 1]);
  clock.ms = 107;
  await acknowledge('r2');
  expect([call.outcome, store.pendingChanges.size]).toEqual(['ok', 0]);
  expect(waited).toEqual([[7, []]]);
});

test('an acknowledgement counts that arrives before the statement is answered', async () => {
  const { store, begin, acknowledge, pendingChanges } = setUp();
  const { recall } = pendingChanges;
  pendingChanges.recall = async (...call) => {
    const givers = await recall(...call);
    for (const { id } of givers) void acknowledge(id);
    return givers;
  };
  expect((await begin()).outcome).toBe('ok');
  expect(store.pendingChanges.size).toBe(0);
});

test('a giver that stays silent is waited for as long as the longest lease and 2 %, and is named', async () => {
  const { begin, acknowledge, pass, waited } = setUp();
  const call = await begin();
  await acknowledge('r1');
  await pass(2139);
  expect(call.outcome).toBeUndefined();
  await pass(2140);
  expect(call.outcome).toBe('ok');
  expect(waited).toEqual([[2040, ['r2']]]);
});

test('two changes of one owner each wait for acknowledgements of their own', async () => {
  const { store, begin, acknowledge } = setUp();
  const calls = [await begin(), await begin()];
  for (const giver of ['r1', 'r2']) await acknowledge(giver, 1);
  expect(calls.map(({ outcome }) => outcome)).toEqual([undefined, 'ok']);
  expect(store.pendingChanges.size).toBe(0);
  for (const giver of ['r1', 'r2']) await acknowledge(giver, 0);
  expect(calls[0]!.outcome).toBe('ok');
});

test('a call that changes nothing waits only while a change of its owner is not answered', async () => {
  const { store, begin, acknowledge, waited } = setUp();
  expect((await begin(false)).outcome).toBe('ok');
  expect([store.recalls, waited]).toEqual([[], []]);
  await begin();
  const call = await begin(false);
  expect(call.outcome).toBeUndefined();
  for (const giver of ['r1', 'r2']) await acknowledge(giver, 1);
  expect(call.outcome).toBe('ok');
});

test('a failing statement leaves the row, so that the next call waits and deletes it', async () => {
  const { store, begin, acknowledge, pendingChanges } = setUp();
  const { recall } = pendingChanges;
  pendingChanges.recall = (each) => recall(each, 2);
  const failed = await begin();
  expect([failed.outcome, store.pendingChanges.size]).toEqual(['unavailable', 1]);
  pendingChanges.recall = recall;
  const call = await begin(false);
  expect(call.outcome).toBeUndefined();
  for (const giver of ['r1', 'r2']) await acknowledge(giver);
  expect([call.outcome, store.pendingChanges.size]).toEqual(['ok', 0]);
});

test('rows that can’t be deleted do not keep the call from being answered', async () => {
  const { begin, acknowledge, pendingChanges } = setUp();
  pendingChanges.end = async () => {
    throw new Error('planted');
  };
  const call = await begin();
  for (const giver of ['r1', 'r2']) await acknowledge(giver);
  expect(call.outcome).toBe('ok');
});

test('on a promoted server changes are answered after 10.2 s, and then its timeline is named', async () => {
  const { store, begin, acknowledge, pass, waited } = setUp();
  [store.timeline, store.givers] = [2, store.givers.slice(0, 1)];
  const call = await begin();
  await acknowledge('r1');
  await pass(10_299);
  expect([call.outcome, store.completeTimeline]).toEqual([undefined, 1]);
  await pass(10_300);
  expect([call.outcome, store.completeTimeline]).toEqual(['ok', 2]);
  expect(waited).toEqual([[10_200, []]]);
  const next = await begin();
  await acknowledge('r1', 1);
  expect(next.outcome).toBe('ok');
});

test('the 10.2 s begin with the first call on the promoted server, and hold for calls that change nothing, too', async () => {
  const { store, begin, pass } = setUp();
  [store.timeline, store.givers] = [2, []];
  const calls = [await begin(false)];
  await pass(10_299);
  calls.push(await begin(), await begin(false));
  expect([calls.map(({ outcome }) => outcome), store.recalls.length]).toEqual([[undefined, undefined, undefined], 2]);
  await pass(10_300);
  expect(calls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  expect((await begin(false)).outcome).toBe('ok');
});

test('a stop gives up after 2.5 s, and leaves the row', async () => {
  const { store, begin, waits, pass } = setUp();
  store.givers = [{ id: 'r1', leaseMs: 10_000 }];
  const call = await begin();
  const closing = { isOver: false };
  void waits.close().then(() => (closing.isOver = true));
  await pass(2599);
  expect([call.outcome, closing.isOver]).toEqual([undefined, false]);
  await pass(2600);
  expect([call.outcome, closing.isOver, store.pendingChanges.size]).toEqual(['unavailable', true, 1]);
});

test('a stop waits for changes that are answered soon', async () => {
  const { store, begin, waits, acknowledge } = setUp();
  store.givers = [{ id: 'r1', leaseMs: 10_000 }];
  const call = await begin();
  const closing = waits.close();
  await acknowledge('r1');
  await closing;
  expect([call.outcome, store.pendingChanges.size]).toEqual(['ok', 0]);
});
