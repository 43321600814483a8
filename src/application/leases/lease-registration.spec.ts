import { expect, test } from '@jest/globals';
import { fakeLeaseRegistrations } from '../../../test/fakes/leases/fake-lease-registrations.js';
import { FakeStore } from '../../../test/fakes/fake-store.js';
import { LatchkeyError } from '../../domain/errors.js';
import { LeaseRegistration } from './lease-registration.js';

/** Processes on one store. Their monotonic clocks stand still when `store.pass` moves the clock of PostgreSQL. */
function setUp() {
  const store = new FakeStore();
  const registrations = fakeLeaseRegistrations(store);
  const clock = { ms: 0 };
  const ids = async () => (await registrations.read()).registrations.map(({ id }) => id);
  /** The other process deletes the registration of the one that ended at this time, and no sooner. */
  const expectDeletion = async (atMs: number, ended: LeaseRegistration, other: LeaseRegistration) => {
    clock.ms = atMs - 1;
    await other.keep();
    expect(await ids()).toContain(ended.own());
    clock.ms = atMs;
    await other.keep();
    expect(await ids()).toEqual([other.own()]);
  };
  return {
    store,
    registrations,
    clock,
    expectDeletion,
    start: (leaseMs = 2000) => new LeaseRegistration(registrations, leaseMs, () => clock.ms),
    rows: async () => (await registrations.read()).registrations,
    ids,
  };
}

test('a process is registered from its first run on, and renews the registration in each further run', async () => {
  const { start, rows, store } = setUp();
  const [one, other] = [start(2000), start(100)];
  expect(one.own()).toBeUndefined();
  expect(await one.keep()).toEqual({ isNew: true, fenced: 0, nextMs: 5000 });
  await other.keep();
  const at = store.now();
  store.pass(5000);
  expect(await one.keep()).toEqual({ isNew: false, fenced: 0, nextMs: 5000 });
  expect(await rows()).toEqual([
    { id: one.own(), leaseMs: 2000, renewedAt: store.now(), fence: null },
    { id: other.own(), leaseMs: 100, renewedAt: at, fence: null },
  ]);
});

test('a process whose registration was fenced or deleted registers again under a new id', async () => {
  const { start, registrations } = setUp();
  const one = start();
  await one.keep();
  const [first, fence] = [one.own()!, 'f1'];
  await registrations.fence(first, fence);
  expect(await one.keep()).toMatchObject({ isNew: true });
  const second = one.own()!;
  await registrations.fence(second, fence);
  await registrations.delete(second, fence);
  expect(await one.keep()).toMatchObject({ isNew: true });
  expect(new Set([first, second, one.own()]).size).toBe(3);
});

test('a registration that was not renewed for 30 s is fenced, and deleted after 102 % of its LEASE_MS', async () => {
  const { start, rows, ids, store, clock } = setUp();
  const [ended, other] = [start(2000), start()];
  await ended.keep();
  store.pass(29_999);
  await other.keep();
  expect((await rows()).map(({ fence }) => fence)).toEqual([null, null]);
  store.pass(1);
  expect(await other.keep()).toMatchObject({ isNew: false, fenced: 1 });
  expect((await rows()).map(({ fence }) => fence)).toEqual([expect.any(String), null]);
  clock.ms = 2039;
  expect(await other.keep()).toEqual({ isNew: false, fenced: 0, nextMs: 1 });
  expect(await ids()).toEqual([ended.own(), other.own()]);
  clock.ms = 2040;
  expect(await other.keep()).toEqual({ isNew: false, fenced: 0, nextMs: 5000 });
  expect(await ids()).toEqual([other.own()]);
});

test('the time until the deletion counts from when the commit of the fence was acknowledged', async () => {
  const { start, expectDeletion, registrations, store, clock } = setUp();
  const [ended, other] = [start(), start()];
  await ended.keep();
  store.pass(30_000);
  const { fence } = registrations;
  registrations.fence = async (...call) => {
    const isFenced = await fence(...call);
    clock.ms += 10_000;
    return isFenced;
  };
  await other.keep();
  await expectDeletion(12_040, ended, other);
});

test('the time until the deletion counts from when a fence of another process was first read', async () => {
  const { start, expectDeletion, registrations, clock } = setUp();
  const [ended, other] = [start(), start()];
  await ended.keep();
  await registrations.fence(ended.own()!, 'f1');
  clock.ms = 10_000;
  await other.keep();
  await expectDeletion(12_040, ended, other);
});

test('a registration is not deleted after its fence was lost, even if it was fenced again', async () => {
  const { start, ids, registrations, clock } = setUp();
  const [one, other] = [start(), start()];
  await one.keep();
  const id = one.own()!;
  await registrations.fence(id, 'lost');
  await other.keep();
  clock.ms = 2039;
  await registrations.delete(id, 'lost');
  await registrations.add({ id, leaseMs: 2000 });
  await other.keep();
  await registrations.fence(id, 'f2');
  clock.ms = 2040;
  await other.keep();
  expect(await ids()).toContain(id);
  clock.ms = 4079;
  expect(await other.keep()).toMatchObject({ nextMs: 1 });
  clock.ms = 4080;
  await other.keep();
  expect(await ids()).toEqual([other.own()]);
});

test('a process that gives no leases is not registered, and removes registrations all the same', async () => {
  const { start, rows, ids, store, clock } = setUp();
  await start(2000).keep();
  store.pass(30_000);
  const one = start(0);
  expect(await one.keep()).toEqual({ isNew: false, fenced: 1, nextMs: 5000 });
  expect([one.own(), await rows()]).toMatchObject([undefined, [{ fence: expect.any(String) }]]);
  clock.ms = 2040;
  await one.keep();
  expect(await ids()).toEqual([]);
});

test('a process that leaves fences its registration, and deletes it if it lives long enough', async () => {
  const { start, rows, clock } = setUp();
  const one = start();
  await one.keep();
  one.leave();
  expect(await one.keep()).toEqual({ isNew: false, fenced: 0, nextMs: 2040 });
  expect(await rows()).toMatchObject([{ id: one.own(), fence: expect.any(String) }]);
  clock.ms = 2040;
  expect(await one.keep()).toMatchObject({ isNew: false });
  expect(await rows()).toEqual([]);
});

test('a process that leaves before it is registered does not register', async () => {
  const { start, ids } = setUp();
  const one = start();
  one.leave();
  await one.keep();
  expect([one.own(), await ids()]).toEqual([undefined, []]);
});

test('a process keeps trying while PostgreSQL is unavailable, and leaves no second registration behind', async () => {
  const { start, ids, registrations } = setUp();
  const { add } = registrations;
  registrations.add = async (giver) => {
    await add(giver);
    throw new LatchkeyError('unavailable', 'no answer');
  };
  const one = start();
  await expect(one.keep()).rejects.toThrow('no answer');
  expect(one.own()).toBeUndefined();
  registrations.add = add;
  expect(await one.keep()).toMatchObject({ isNew: true });
  expect(await ids()).toEqual([one.own()]);
});
