import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { createKey, newOwner } from '../../../test/support/application/calls.js';
import { eventually } from '../../../test/support/eventually.js';
import type { NoticeChannel } from '../../domain/notices/channel.js';
import { pauseAfter, TRIED_FOR_MS } from '../../domain/notices/retry-schedule.js';
import { DAY_MS, HOUR_MS } from '../../domain/time.js';
import type { NoticeReceiver } from '../ports.js';
import type { OutboxMessage } from '../notice-ports.js';
import { SendNotices } from './send-notices.js';

/** Accepts every message unless a test overrides it. */
class FakeReceiver implements NoticeReceiver {
  readonly attempts: string[] = [];
  readonly taken: string[] = [];
  answer: (message: OutboxMessage) => Promise<void> = async () => {};

  async deliver(message: OutboxMessage): Promise<void> {
    this.attempts.push(message.id);
    await this.answer(message);
    this.taken.push(message.id);
  }
}

const REFUSES = () => Promise.reject(new Error('it answered 500'));

/** Writes this many notices of a creation. */
async function setUp(count: number, deadlineMs = HOUR_MS) {
  const app = openFakes();
  for (let made = 0; made < count; made += 1) await createKey(app, (await newOwner(app)).id);
  const receiver = new FakeReceiver();
  const send = new SendNotices('webhook', app.outbox, receiver, { graceMs: 10, deadlineMs });
  /** Looks as often as the job would, until no message is known to wait or after `most` looks. */
  const look = async (most = 100) => {
    for (let looks = 1; ; looks += 1) {
      const { pauseMs } = await send.execute();
      if (pauseMs === undefined || looks === most) return looks;
      app.store.pass(pauseMs);
    }
  };
  /** The stored messages of a channel: those that wait, or those that were given up. */
  const stored = (channel: NoticeChannel, isGivenUp = false) => {
    const all = [...app.store.outbox.values()].filter((each) => each.channel === channel);
    return all.filter(({ failedAt }) => (failedAt !== null) === isGivenUp).length;
  };
  const waiting = () => stored('webhook');
  return { ...app, receiver, send, look, stored, waiting };
}

describe('SendNotices', () => {
  test('sends each webhook message once, many at a time, and no mail', async () => {
    const { receiver, look, stored, send } = await setUp(20);
    expect(await look()).toBe(2);
    expect([receiver.attempts.length, new Set(receiver.taken).size]).toEqual([20, 20]);
    expect([stored('webhook'), stored('mail')]).toEqual([0, 20]);
    expect(await send.execute()).toEqual({ outcomes: [], why: undefined, pauseMs: undefined });
  });

  test('waits longer after each failed attempt, and gives the message up after the last', async () => {
    const { receiver, send, store, stored } = await setUp(1);
    receiver.answer = REFUSES;
    for (let tries = 1; tries <= 9; tries += 1) {
      // A look that finds nothing due does not change the pause.
      const pauseMs = Math.min(1000 * 2 ** (tries - 1), 60_000);
      expect(await send.execute()).toEqual({ outcomes: ['failed'], why: 'it answered 500', pauseMs });
      store.pass(pauseAfter(tries)! - 1);
      expect(await send.execute()).toEqual({ outcomes: [], why: undefined, pauseMs: undefined });
      store.pass(1);
    }
    expect((await send.execute()).outcomes).toEqual(['given_up']);
    expect(new Set(receiver.attempts).size).toBe(1);
    store.pass(30 * DAY_MS);
    expect((await send.execute()).outcomes).toEqual([]);
    expect([stored('webhook'), stored('webhook', true)]).toEqual([0, 1]);
  });

  test('tries a message once before it gives it up, also when no sender ran for days', async () => {
    const { receiver, send, store } = await setUp(1);
    store.pass(TRIED_FOR_MS);
    receiver.answer = REFUSES;
    expect((await send.execute()).outcomes).toEqual(['given_up']);
    expect(receiver.attempts).toHaveLength(1);
  });

  test('makes few attempts while a receiver is away, and sends everything once it is back', async () => {
    const { receiver, look, store, waiting } = await setUp(200);
    receiver.answer = REFUSES;
    const before = store.now().getTime();
    await look(60);
    const minutes = (store.now().getTime() - before) / 60_000;
    expect(minutes).toBeGreaterThan(50);
    // The first look tries sixteen messages, each later one tries one.
    expect(receiver.attempts).toHaveLength(75);
    const untouched = 200 - new Set(receiver.attempts).size;
    receiver.answer = async () => {};
    await look();
    expect(receiver.taken.length).toBeGreaterThanOrEqual(untouched);
    store.pass(DAY_MS);
    await look();
    expect(waiting()).toBe(0);
    expect(new Set(receiver.taken).size).toBe(200);
  });

  test('sends other messages while one is refused again and again', async () => {
    const { receiver, look, store, waiting } = await setUp(40);
    const poison = [...store.outbox.values()].find(({ channel }) => channel === 'webhook')!.id;
    receiver.answer = ({ id }) => (id === poison ? REFUSES() : Promise.resolve());
    await look();
    expect([waiting(), receiver.taken.length]).toEqual([1, 39]);
  });

  test('sends the others even if the attempt to send one never ends', async () => {
    const { receiver, send, waiting } = await setUp(3, 50);
    receiver.answer = ({ id }) => (id === receiver.attempts[0] ? new Promise(() => undefined) : Promise.resolve());
    expect((await send.execute()).outcomes).toEqual(['failed', 'delivered', 'delivered']);
    expect([waiting(), receiver.taken.length]).toEqual([1, 2]);
  });

  test('keeps a message claimed whose delivery PostgreSQL fails to record, and records the others', async () => {
    const { send, outbox, waiting } = await setUp(3);
    const delivered = outbox.delivered.bind(outbox);
    const attempts: string[] = [];
    outbox.delivered = async (claim) => {
      if (attempts.push(claim.message.id) === 1) throw new Error('away');
      await new Promise(setImmediate);
      await delivered(claim);
    };
    await expect(send.execute()).rejects.toThrow('away');
    expect([attempts.length, waiting()]).toEqual([3, 1]);
    expect((await send.execute()).outcomes).toEqual([]);
  });
});

describe('SendNotices.stop', () => {
  test('cuts off slow attempts, whose messages any sender may claim, and begins none', async () => {
    const { receiver, send, outbox } = await setUp(17);
    receiver.answer = () => new Promise(() => undefined);
    const look = send.execute();
    await eventually(async () => receiver.attempts.length === 16);
    send.stop();
    expect((await look).outcomes).toEqual(Array.from({ length: 16 }, () => 'cut_off'));
    expect((await send.execute()).outcomes).toEqual([]);
    const claims = await outbox.claim('webhook', 100);
    expect(claims.map(({ tries }) => tries)).toEqual(Array.from({ length: 17 }, () => 0));
  });

  test('waits for attempts that end in time', async () => {
    const { receiver, send, waiting } = await setUp(1);
    let answer = (): void => undefined;
    receiver.answer = () => new Promise((resolve) => (answer = resolve));
    const look = send.execute();
    await eventually(async () => receiver.attempts.length === 1);
    send.stop();
    answer();
    expect((await look).outcomes).toEqual(['delivered']);
    expect(waiting()).toBe(0);
  });
});
