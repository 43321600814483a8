import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { NoticeReceiver, OutboxMessage } from '#application/notice-ports.js';
import { SendNotices } from '#application/notices/send-notices.js';
import type { NoticeChannel } from '#domain/notices/key-notice.js';
import { EXTRA_TRIES, pauseAfter, PLANNED_AT_MS, SOON_MS, TRIED_FOR_MS } from '#domain/notices/retry-schedule.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time.js';
import { createKey, newOwner } from '#test/support/application/calls.js';
import { eventually } from '#test/support/eventually.js';
import { openHeldDatabase } from '#test/contracts/support/postgres-world.js';

let database: Awaited<ReturnType<typeof openHeldDatabase>>;
let app: Awaited<ReturnType<typeof database.start>>;
beforeAll(async () => {
  database = await openHeldDatabase();
  app = await database.start({ noticeReceivers: { webhook: true, mail: true } });
});
afterEach(() => app.sql('TRUNCATE outbox'));
afterAll(() => app?.close().finally(() => database.drop()));

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
  const write = async (notices: number) => {
    for (let made = 0; made < notices; made += 1) await createKey(app, (await newOwner(app)).id);
  };
  await write(count);
  const receiver = new FakeReceiver();
  const send = new SendNotices('webhook', app.outbox, receiver, { graceMs: 10, deadlineMs });
  let passedMs = 0;
  const pass = async (ms: number) => {
    passedMs += ms;
    await database.pass(ms);
  };
  /** Looks as often as the job would, until no message is known to wait or after `most` looks. */
  const look = async (most = 100) => {
    for (let looks = 1; ; looks += 1) {
      const { pauseMs } = await send.execute();
      if (pauseMs === undefined || looks === most) return looks;
      await pass(pauseMs);
    }
  };
  /** The stored messages of a channel: those that wait, or those that were given up. */
  const stored = async (channel: NoticeChannel, isGivenUp = false) => {
    const rows = 'SELECT id FROM outbox WHERE channel = $1 AND (failed_at IS NOT NULL) = $2';
    return (await app.sql(rows, [channel, isGivenUp])).map(({ id }) => id as string);
  };
  const waiting = async () => (await stored('webhook')).length;
  return { receiver, write, send, look, stored, waiting, pass, passedMs: () => passedMs };
}

describe('SendNotices', () => {
  test('sends each webhook message once, many at a time, and no mail', async () => {
    const { receiver, look, stored, send, waiting } = await setUp(20);
    expect(await look()).toBe(2);
    expect([receiver.attempts.length, new Set(receiver.taken).size]).toEqual([20, 20]);
    expect([await waiting(), (await stored('mail')).length]).toEqual([0, 20]);
    expect(await send.execute()).toEqual({ outcomes: [], why: undefined, pauseMs: undefined });
  });

  test('waits for as long as the receiver asks, up to an hour, before it sends anything', async () => {
    for (const [asksMs, pauseMs] of [
      [20 * MINUTE_MS, 20 * MINUTE_MS],
      [DAY_MS, HOUR_MS],
      [1, 1000],
    ] as const) {
      const { receiver, send, pass, waiting } = await setUp(1);
      receiver.answer = () => Promise.reject(Object.assign(new Error('it answered 429'), { retryAfterMs: asksMs }));
      expect(await send.execute()).toEqual({ outcomes: ['failed'], why: 'it answered 429', pauseMs });
      receiver.answer = async () => {};
      await pass(Math.max(pauseMs, 5000) - 1);
      expect((await send.execute()).outcomes).toEqual([]);
      await pass(1);
      expect((await send.execute()).outcomes).toEqual(['delivered']);
      expect(await waiting()).toBe(0);
    }
  });

  test('waits longer after each failed attempt, and gives the message up after the last', async () => {
    const { receiver, send, pass, stored } = await setUp(1);
    receiver.answer = REFUSES;
    for (let tries = 1; tries <= 9; tries += 1) {
      // A look that finds nothing due does not change the pause.
      const pauseMs = Math.min(1000 * 2 ** (tries - 1), 60_000);
      expect(await send.execute()).toEqual({ outcomes: ['failed'], why: 'it answered 500', pauseMs });
      await pass(pauseAfter(tries, PLANNED_AT_MS[tries - 1]!)! - 1);
      expect(await send.execute()).toEqual({ outcomes: [], why: undefined, pauseMs: undefined });
      await pass(1);
    }
    expect((await send.execute()).outcomes).toEqual(['given_up']);
    expect(new Set(receiver.attempts).size).toBe(1);
    await pass(30 * DAY_MS);
    expect((await send.execute()).outcomes).toEqual([]);
    expect([await stored('webhook'), (await stored('webhook', true)).length]).toEqual([[], 1]);
  });

  test('begins with a short pause again once the receiver has accepted a message', async () => {
    const { receiver, write, send } = await setUp(1);
    const pauses: (number | undefined)[] = [];
    for (const isAccepted of [false, false, true, false]) {
      receiver.answer = isAccepted ? async () => {} : REFUSES;
      await app.sql('TRUNCATE outbox');
      await write(1);
      pauses.push((await send.execute()).pauseMs);
    }
    expect(pauses).toEqual([1000, 2000, 0, 1000]);
  });

  test('tries a message once before it gives it up, also when no sender ran for days', async () => {
    const { receiver, send, pass } = await setUp(1);
    await pass(TRIED_FOR_MS);
    receiver.answer = REFUSES;
    expect((await send.execute()).outcomes).toEqual(['given_up']);
    expect(receiver.attempts).toHaveLength(1);
  });

  test('makes few attempts while a receiver is away, and sends everything within seconds once it is back', async () => {
    const { receiver, write, look, send, pass, passedMs, waiting } = await setUp(200);
    receiver.answer = REFUSES;
    await look(60);
    expect(passedMs()).toBeGreaterThan(50 * MINUTE_MS);
    // The first look tries sixteen messages, each later one tries one.
    expect(receiver.attempts).toHaveLength(75);
    // Every message fails at least twice. Some then wait for half an hour.
    for (let minute = 0; minute < 8 * 60; minute += 1) {
      await look(1);
      await pass(MINUTE_MS);
    }
    receiver.answer = async () => {};
    await write(1);
    await look();
    // What is due soon anyway is not tried sooner.
    await pass(SOON_MS);
    await look();
    expect([await waiting(), new Set(receiver.taken).size]).toEqual([0, 201]);
    expect(await send.execute()).toEqual({ outcomes: [], why: undefined, pauseMs: undefined });
  });

  test('sends what failed at another instance once the receiver accepts a message here', async () => {
    const { receiver, write, look, pass, waiting } = await setUp(1);
    receiver.answer = REFUSES;
    const other = new SendNotices('webhook', app.outbox, receiver);
    await other.execute();
    await pass(SOON_MS);
    await other.execute();
    receiver.answer = async () => {};
    expect([await look(), await waiting()]).toEqual([1, 1]);
    await write(1);
    await look();
    expect(await waiting()).toBe(0);
  });

  test('tries a message that is refused again and again seldom, however often others are accepted', async () => {
    const { receiver, write, look, pass, passedMs, stored } = await setUp(1);
    const [poison] = await stored('webhook');
    receiver.answer = ({ id }) => (id === poison ? REFUSES() : Promise.resolve());
    const attempts = () => receiver.attempts.filter((id) => id === poison).length;
    while ((await stored('webhook', true)).length === 0) {
      await write(1);
      await look();
      await pass(20 * MINUTE_MS);
    }
    expect(passedMs()).toBeGreaterThan(TRIED_FOR_MS);
    expect(attempts()).toBeLessThanOrEqual(PLANNED_AT_MS.length + EXTRA_TRIES);
  });

  test('sends other messages while one is refused again and again', async () => {
    const { receiver, look, stored, waiting } = await setUp(40);
    const [poison] = await stored('webhook');
    receiver.answer = ({ id }) => (id === poison ? REFUSES() : Promise.resolve());
    await look();
    expect([await waiting(), receiver.taken.length]).toEqual([1, 39]);
  });

  test('sends the others even if the attempt to send one never ends', async () => {
    const { receiver, send, waiting } = await setUp(3, 50);
    receiver.answer = ({ id }) => (id === receiver.attempts[0] ? new Promise(() => undefined) : Promise.resolve());
    expect((await send.execute()).outcomes).toEqual(['failed', 'delivered', 'delivered']);
    expect([await waiting(), receiver.taken.length]).toEqual([1, 2]);
  });

  test('keeps a message claimed whose delivery PostgreSQL fails to record, and records the others', async () => {
    const { send, waiting } = await setUp(3);
    const delivered = app.outbox.delivered.bind(app.outbox);
    const attempts: string[] = [];
    app.outbox.delivered = async (claim) => {
      if (attempts.push(claim.message.id) === 1) throw new Error('away');
      await new Promise(setImmediate);
      await delivered(claim);
    };
    await expect(send.execute()).rejects.toThrow('away');
    app.outbox.delivered = delivered;
    expect([attempts.length, await waiting()]).toEqual([3, 1]);
    expect((await send.execute()).outcomes).toEqual([]);
  });
});

describe('SendNotices.stop', () => {
  test('cuts off slow attempts, whose messages any sender may claim, and begins none', async () => {
    const { receiver, send } = await setUp(17);
    receiver.answer = () => new Promise(() => undefined);
    const look = send.execute();
    await eventually(async () => receiver.attempts.length === 16);
    send.stop();
    expect((await look).outcomes).toEqual(Array.from({ length: 16 }, () => 'cut_off'));
    expect((await send.execute()).outcomes).toEqual([]);
    const claims = await app.outbox.claim('webhook', 100);
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
    expect(await waiting()).toBe(0);
  });
});
