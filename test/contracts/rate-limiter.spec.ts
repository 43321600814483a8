import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { until } from '../../scripts/lib/wait.mjs';
import { RateLimiter } from '../../src/application/ports.js';
import type { RateDecision, RateLimit } from '../../src/domain/rate-limit.js';
import { MemoryRateLimiter } from '../../src/infrastructure/outbound/memory/memory-rate-limiter.js';
import { NO_TRACES } from '../../src/infrastructure/telemetry/traces.js';
import { RedisRateLimiter } from '../../src/infrastructure/outbound/redis/redis-rate-limiter.js';
import { keptLog } from '../support/reading/kept-log.js';
import { STORE_PATIENCE_MS } from '../support/processes/patience.mjs';
import type { Entry } from '../support/reading/printed-log.js';
import { startRedis } from '../support/stores/redis.mjs';

const DEADLINE_MS = 20;

/** The limits of one process, which tell whether they were asked. */
class WatchedLocal extends RateLimiter {
  asked = 0;
  private readonly limiter: MemoryRateLimiter;

  constructor(limit: RateLimit) {
    super();
    this.limiter = new MemoryRateLimiter(limit);
  }

  charge(keyId: string): RateDecision {
    this.asked += 1;
    return this.limiter.charge(keyId);
  }

  close(): void {
    this.limiter.close();
  }
}

interface Subject {
  charge(keyId: string): Promise<RateDecision>;
  /** Of the charges so far, those that the limits of the process decided because Redis did not. */
  fallbacks(): number;
  /** What was told of outages. */
  readonly outages: readonly Entry[];
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function inMemory(limit: RateLimit): Promise<Subject> {
  const limiter = new MemoryRateLimiter(limit);
  closers.push(() => limiter.close());
  return { charge: async (keyId) => limiter.charge(keyId), fallbacks: () => 0, outages: [] };
}

/** @param deadlineMs generous where the deadline is not what a test is about: a busy machine is no outage */
async function onRedis(
  limit: RateLimit,
  url = process.env['LATCHKEY_TEST_REDIS_URL']!,
  deadlineMs = STORE_PATIENCE_MS,
): Promise<Subject> {
  const local = new WatchedLocal(limit);
  const { log, entries } = keptLog();
  const limiter = new RedisRateLimiter(url, limit, local, log, NO_TRACES, deadlineMs);
  closers.push(
    () => limiter.close(),
    () => local.close(),
  );
  const subject = {
    charge: (keyId: string) => limiter.charge(keyId),
    fallbacks: () => local.asked,
    outages: entries,
  };
  await shared(subject);
  return subject;
}

const newKey = () => randomUUID();

/** Waits until Redis decides. */
async function shared(subject: Subject): Promise<void> {
  const decides = async () => {
    const before = subject.fallbacks();
    await subject.charge(newKey());
    return subject.fallbacks() === before;
  };
  expect(await until(decides, 10_000)).toBe(true);
}

/** Plays a scene with a fresh key, and again as long as a busy machine makes Redis miss its deadline in it. */
async function undisturbed<T>(subjects: Subject[], scene: (keyId: string) => Promise<T>): Promise<T> {
  const fallbacks = () => subjects.reduce((sum, subject) => sum + subject.fallbacks(), 0);
  for (;;) {
    const before = fallbacks();
    const outcome = await scene(newKey());
    if (fallbacks() === before) return outcome;
  }
}

const chargeTogether = (subject: Subject, keyId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => subject.charge(keyId)));
const admittedOf = (decisions: RateDecision[]) => decisions.filter(({ admitted }) => admitted).length;

describe.each([
  ['MemoryRateLimiter', inMemory],
  ['RedisRateLimiter', onRedis],
])('%s', (_name, open: (limit: RateLimit) => Promise<Subject>) => {
  /** So slow that nothing comes back while a test runs. */
  const slow = { perSecond: 1, burst: 5 };

  test('admits the burst and then refuses, telling what remains and how long to wait', async () => {
    // One an hour would be slower still, but one a second is the slowest there is: the scene must end within it.
    const subject = await open(slow);
    const decisions = await undisturbed([subject], async (keyId) => {
      const told: RateDecision[] = [];
      for (let n = 0; n < 8; n += 1) told.push(await subject.charge(keyId));
      return told;
    });
    const told = decisions.map(({ admitted, limit, remaining }) => [admitted, limit, remaining]);
    expect(told).toEqual([
      [true, 5, 4],
      [true, 5, 3],
      [true, 5, 2],
      [true, 5, 1],
      [true, 5, 0],
      [false, 5, 0],
      [false, 5, 0],
      [false, 5, 0],
    ]);
    decisions.forEach(({ admitted, resetAfterMicros, retryAfterMicros }, n) => {
      const used = Math.min(5, n + 1);
      expect(resetAfterMicros).toBeGreaterThan((used - 1) * 1_000_000);
      expect(resetAfterMicros).toBeLessThanOrEqual(used * 1_000_000);
      if (admitted) expect(retryAfterMicros).toBe(0);
      else expect(retryAfterMicros).toBe(resetAfterMicros - 4_000_000);
    });
  });

  test('admits again once the wait it announced is over, and not before', async () => {
    const subject = await open({ perSecond: 10, burst: 2 });
    await undisturbed([subject], async (keyId) => {
      await chargeTogether(subject, keyId, 2);
      const asked = performance.now();
      const { admitted, retryAfterMicros } = await subject.charge(keyId);
      expect(admitted).toBe(false);
      expect(await until(async () => (await subject.charge(keyId)).admitted, 5000, 1)).toBe(true);
      expect(performance.now() - asked).toBeGreaterThanOrEqual(retryAfterMicros / 1000 - 0.01);
    });
  });

  test('is full again after a rest', async () => {
    const subject = await open({ perSecond: 50, burst: 3 });
    await undisturbed([subject], async (keyId) => {
      const fullAt = Math.max(...(await chargeTogether(subject, keyId, 5)).map((d) => d.resetAfterMicros));
      const fullFrom = performance.now() + fullAt / 1000;
      expect(await until(() => performance.now() >= fullFrom, 5000, 1)).toBe(true);
      expect(await subject.charge(keyId)).toMatchObject({ admitted: true, remaining: 2 });
    });
  });

  test('keeps the keys apart', async () => {
    const subject = await open(slow);
    await undisturbed([subject], async (keyId) => {
      await chargeTogether(subject, keyId, 10);
      expect(await subject.charge(newKey())).toMatchObject({ admitted: true, remaining: 4 });
      expect(await subject.charge(keyId)).toMatchObject({ admitted: false });
    });
  });

  test('admits of 200 at once the burst and no more than the time lets through', async () => {
    const limit = { perSecond: 20, burst: 50 };
    const subject = await open(limit);
    await undisturbed([subject], async (keyId) => {
      const start = performance.now();
      const admitted = admittedOf(await chargeTogether(subject, keyId, 200));
      const seconds = (performance.now() - start) / 1000;
      expect(admitted).toBeGreaterThanOrEqual(limit.burst);
      expect(admitted).toBeLessThanOrEqual(limit.burst + limit.perSecond * seconds);
    });
  });

  test('never admits more than burst + rate × time over crowds and pauses', async () => {
    const limit = { perSecond: 100, burst: 7 };
    const subject = await open(limit);
    await undisturbed([subject], async (keyId) => {
      const start = performance.now();
      let admitted = 0;
      for (const [crowd, pauseMs] of [
        [1, 0],
        [20, 30],
        [3, 0],
        [40, 100],
        [2, 5],
        [2, 5],
        [60, 0],
      ] as const) {
        admitted += admittedOf(await chargeTogether(subject, keyId, crowd));
        const seconds = (performance.now() - start) / 1000;
        expect(admitted).toBeLessThanOrEqual(limit.burst + limit.perSecond * seconds);
        if (pauseMs) await sleep(pauseMs);
      }
      expect(admitted).toBeGreaterThanOrEqual(limit.burst + 10);
    });
  });
});

describe('both', () => {
  test('decide alike on the same arrivals', async () => {
    const limit = { perSecond: 2, burst: 4 };
    const [memory, redis] = [await inMemory(limit), await onRedis(limit)];
    await undisturbed([memory, redis], async (keyId) => {
      for (let n = 0; n < 12; n += 1) {
        const [expected, actual] = await Promise.all([memory.charge(keyId), redis.charge(keyId)]);
        const shape = ({ admitted, limit: told, remaining }: RateDecision) => ({ admitted, told, remaining });
        // Their clocks differ by the way to Redis: where a moment falls between them, they may be one apart.
        expect(Math.abs(expected.remaining - actual.remaining)).toBeLessThanOrEqual(1);
        if (n < 4) expect(shape(actual)).toEqual(shape(expected));
        expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
      }
    });
  });
});

describe('RedisRateLimiter over a Redis of its own', () => {
  const folder = join(tmpdir(), `redis-${randomUUID()}`);
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis(folder);
  });
  afterAll(() => redis.stop());

  const slow = { perSecond: 1, burst: 10 };

  test('two instances share one budget', async () => {
    const [one, two] = [await onRedis(slow, redis.url), await onRedis(slow, redis.url)];
    await undisturbed([one, two], async (keyId) => {
      const decisions = (await Promise.all([chargeTogether(one, keyId, 30), chargeTogether(two, keyId, 30)])).flat();
      expect(admittedOf(decisions)).toBe(10);
      for (const subject of [one, two]) expect(await subject.charge(keyId)).toMatchObject({ admitted: false });
    });
  });

  test('keeps nothing of a key longer than its bucket needs to be full again', async () => {
    const subject = await onRedis({ perSecond: 20, burst: 10 }, redis.url);
    const look = new Redis(redis.url);
    closers.push(() => look.disconnect());
    await undisturbed([subject], async (keyId) => {
      const { resetAfterMicros } = await subject.charge(keyId);
      expect(await look.pttl(`latchkey:rate:${keyId}`)).toBeLessThanOrEqual(Math.ceil(resetAfterMicros / 1000));
      expect(await until(async () => (await look.exists(`latchkey:rate:${keyId}`)) === 0, 5000)).toBe(true);
    });
  });

  test('keeps what a key has used for as long as its bucket needs to be full again', async () => {
    const subject = await onRedis(slow, redis.url);
    const look = new Redis(redis.url);
    closers.push(() => look.disconnect());
    await undisturbed([subject], async (keyId) => {
      const began = performance.now();
      const { resetAfterMicros } = (await chargeTogether(subject, keyId, 10))[9]!;
      const keptForMs = (await look.pttl(`latchkey:rate:${keyId}`)) + performance.now() - began;
      // PTTL counts whole milliseconds.
      expect(keptForMs).toBeGreaterThanOrEqual(resetAfterMicros / 1000 - 2);
    });
  });

  test('survives SCRIPT FLUSH, with the budget as it was', async () => {
    const subject = await onRedis(slow, redis.url);
    const admin = new Redis(redis.url);
    closers.push(() => admin.disconnect());
    await undisturbed([subject], async (keyId) => {
      expect(admittedOf(await chargeTogether(subject, keyId, 6))).toBe(6);
      await admin.script('FLUSH');
      expect(admittedOf(await chargeTogether(subject, keyId, 6))).toBe(4);
    });
    expect(subject.outages).toEqual([]);
  });

  test('Redis stopped: the limits of the process decide, without an error; back again: shared again', async () => {
    const [one, two] = [await onRedis(slow, redis.url), await onRedis(slow, redis.url)];
    await redis.stop();
    const gone = async () => {
      const before = one.fallbacks() + two.fallbacks();
      await Promise.all([one, two].map((subject) => subject.charge(newKey())));
      return one.fallbacks() + two.fallbacks() === before + 2;
    };
    expect(await until(gone, 5000)).toBe(true);

    const keyId = newKey();
    for (const subject of [one, two]) {
      expect(admittedOf(await chargeTogether(subject, keyId, 30))).toBe(10);
      expect(await subject.charge(keyId)).toMatchObject({ admitted: false, limit: 10, remaining: 0 });
      expect(await until(() => subject.outages.length === 1, 5000)).toBe(true);
      expect(subject.outages[0]).toMatchObject({ level: 40, reason: expect.any(String) });
    }

    redis = await startRedis(folder, redis.port);
    await Promise.all([one, two].map(shared));
    await undisturbed([one, two], async (fresh) => {
      expect(admittedOf(await chargeTogether(one, fresh, 30))).toBe(10);
      expect(await two.charge(fresh)).toMatchObject({ admitted: false });
    });
    // Told once that it went, and once that it is back.
    for (const { outages } of [one, two]) expect([outages.length, outages[1]?.level]).toEqual([2, 30]);
  });

  test('Redis down from the start: the limits of the process decide', async () => {
    const local = new WatchedLocal(slow);
    const { log, entries: outages } = keptLog();
    const limiter = new RedisRateLimiter('redis://127.0.0.1:1', slow, local, log);
    closers.push(
      () => limiter.close(),
      () => local.close(),
    );
    let attempts = 0;
    const count = () => void (attempts += 1);
    subscribe('net.client.socket', count);
    closers.push(() => unsubscribe('net.client.socket', count));
    expect(await limiter.charge('k')).toMatchObject({ admitted: true, remaining: 9 });
    expect(await until(() => attempts >= 4, 5000)).toBe(true);
    expect(await limiter.charge('k')).toMatchObject({ admitted: true, remaining: 8 });
    // Told once, however many attempts fail.
    expect(outages).toMatchObject([{ reason: expect.any(String) }]);
    const told = limiter.instruments().map((one) => [one.name, one.get().values[0]?.value]);
    expect(told).toEqual([
      ['latchkey_redis_up', 0],
      ['latchkey_redis_fallbacks_total', 2],
    ]);
  });

  test('Redis paused: every charge is answered at the deadline; going on: shared again', async () => {
    const subject = await onRedis(slow, redis.url, DEADLINE_MS);
    const keyId = newKey();
    process.kill(redis.pid, 'SIGSTOP');
    try {
      // Without a deadline it would be never. How close to it an answer comes is for a machine that is not busy.
      const answered = (charges: Promise<unknown>) =>
        Promise.race([charges.then(() => 'answered'), sleep(50 * DEADLINE_MS, 'late')]);
      for (let n = 0; n < 12; n += 1) expect(await answered(subject.charge(newKey()))).toBe('answered');
      expect(await answered(chargeTogether(subject, newKey(), 100))).toBe('answered');
      expect(admittedOf(await chargeTogether(subject, keyId, 30))).toBe(10);
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    await shared(subject);
    await undisturbed([subject], async (fresh) => {
      expect(admittedOf(await chargeTogether(subject, fresh, 30))).toBe(10);
    });
  });
});
