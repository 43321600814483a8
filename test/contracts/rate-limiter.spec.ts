import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { until } from '../../scripts/lib/wait.mjs';
import { parseRedisUrl } from '#config/redis-config.js';
import type { RateDecision } from '#domain/rate-limit.js';
import { RedisRateLimiter } from '#infrastructure/outbound/redis/redis-rate-limiter.js';
import { keptLog } from '../support/reading/kept-log.js';
import { startRedis } from '../support/stores/redis.mjs';
import {
  admittedOf,
  chargeTogether,
  closeAfterTest,
  inMemory,
  newKey,
  onRedis,
  shared,
  undisturbed,
  WatchedLocal,
} from './limited.js';
import { describeRateLimiter } from './rate-limiter-contract.js';

const DEADLINE_MS = 20;

describeRateLimiter('MemoryRateLimiter', inMemory);
describeRateLimiter('RedisRateLimiter', onRedis);

describe('MemoryRateLimiter and RedisRateLimiter', () => {
  test('decide the same for the same arrivals', async () => {
    const limit = { perSecond: 2, burst: 4 };
    const [memory, redis] = [await inMemory(limit), await onRedis(limit)];
    await undisturbed([memory, redis], async (keyId) => {
      for (let n = 0; n < 12; n += 1) {
        const [expected, actual] = await Promise.all([memory.charge(keyId), redis.charge(keyId)]);
        const shape = ({ admitted, limit: charged, remaining }: RateDecision) => ({ admitted, charged, remaining });
        // The clocks differ by the time of the way to Redis. If a step falls between them, the results may differ by
        // one.
        expect(Math.abs(expected.remaining - actual.remaining)).toBeLessThanOrEqual(1);
        if (n < 4) expect(shape(actual)).toEqual(shape(expected));
        expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
      }
    });
  });
});

describe('RedisRateLimiter with its own Redis', () => {
  const folder = join(tmpdir(), `redis-${randomUUID()}`);
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis(folder);
  });
  afterAll(() => redis.stop());

  /** So slow that no request is regained during a test. */
  const slow = { perSecond: 1 / 3600, burst: 10 };

  test('shares one budget between two instances', async () => {
    const [one, two] = [await onRedis(slow, redis.url), await onRedis(slow, redis.url)];
    await undisturbed([one, two], async (keyId) => {
      const decisions = (await Promise.all([chargeTogether(one, keyId, 30), chargeTogether(two, keyId, 30)])).flat();
      expect(admittedOf(decisions)).toBe(10);
      for (const subject of [one, two]) expect(await subject.charge(keyId)).toMatchObject({ admitted: false });
    });
  });

  test('keeps a key no longer than its bucket needs to be full again', async () => {
    const subject = await onRedis({ perSecond: 20, burst: 10 }, redis.url);
    const look = new Redis(redis.url);
    closeAfterTest(() => look.disconnect());
    await undisturbed([subject], async (keyId) => {
      const { resetAfterMicros } = await subject.charge(keyId);
      expect(await look.pttl(`latchkey:rate:${keyId}`)).toBeLessThanOrEqual(Math.ceil(resetAfterMicros / 1000));
      expect(await until(async () => (await look.exists(`latchkey:rate:${keyId}`)) === 0, 5000)).toBe(true);
    });
  });

  test('keeps a key as long as its bucket needs to be full again', async () => {
    const subject = await onRedis(slow, redis.url);
    const look = new Redis(redis.url);
    closeAfterTest(() => look.disconnect());
    await undisturbed([subject], async (keyId) => {
      const began = performance.now();
      const { resetAfterMicros } = (await chargeTogether(subject, keyId, 10))[9]!;
      const keptForMs = (await look.pttl(`latchkey:rate:${keyId}`)) + performance.now() - began;
      // PTTL counts whole milliseconds.
      expect(keptForMs).toBeGreaterThanOrEqual(resetAfterMicros / 1000 - 2);
    });
  });

  test('keeps the budget after SCRIPT FLUSH', async () => {
    const subject = await onRedis(slow, redis.url);
    const admin = new Redis(redis.url);
    closeAfterTest(() => admin.disconnect());
    await undisturbed([subject], async (keyId) => {
      expect(admittedOf(await chargeTogether(subject, keyId, 6))).toBe(6);
      await admin.script('FLUSH');
      expect(admittedOf(await chargeTogether(subject, keyId, 6))).toBe(4);
    });
    expect(subject.outages).toEqual([]);
  });

  test('limits by process without errors while Redis is stopped, and shares again afterwards', async () => {
    const [one, two] = [await onRedis(slow, redis.url), await onRedis(slow, redis.url)];
    await redis.stop();
    const bothFallBack = async () => {
      const before = one.fallbacks() + two.fallbacks();
      await Promise.all([one, two].map((subject) => subject.charge(newKey())));
      return one.fallbacks() + two.fallbacks() === before + 2;
    };
    expect(await until(bothFallBack, 5000)).toBe(true);

    const keyId = newKey();
    for (const subject of [one, two]) {
      expect(admittedOf(await chargeTogether(subject, keyId, 30))).toBe(10);
      expect(await subject.charge(keyId)).toMatchObject({ admitted: false, limit: slow, remaining: 0 });
      expect(await until(() => subject.outages.length === 1, 5000)).toBe(true);
      expect(subject.outages[0]).toMatchObject({ level: 40, reason: expect.any(String) });
    }

    redis = await startRedis(folder, redis.port);
    await Promise.all([one, two].map(shared));
    await undisturbed([one, two], async (fresh) => {
      expect(admittedOf(await chargeTogether(one, fresh, 30))).toBe(10);
      expect(await two.charge(fresh)).toMatchObject({ admitted: false });
    });
    // One log entry when Redis went away and one when it came back.
    for (const { outages } of [one, two]) expect([outages.length, outages[1]?.level]).toEqual([2, 30]);
  });

  test('limits by process when Redis is down from the start', async () => {
    const local = new WatchedLocal();
    const { log, entries: outages } = keptLog();
    const limiter = new RedisRateLimiter(parseRedisUrl('redis://127.0.0.1:1'), local, log);
    closeAfterTest(() => limiter.close());
    closeAfterTest(() => local.close());
    let attempts = 0;
    const count = () => void (attempts += 1);
    subscribe('net.client.socket', count);
    closeAfterTest(() => unsubscribe('net.client.socket', count));
    expect(await limiter.charge('k', slow)).toMatchObject({ admitted: true, remaining: 9 });
    expect(await until(() => attempts >= 4, 5000)).toBe(true);
    expect(await limiter.charge('k', slow)).toMatchObject({ admitted: true, remaining: 8 });
    // Logged once, however many attempts fail.
    expect(outages).toMatchObject([{ reason: expect.any(String) }]);
    const metrics = limiter.instruments().map((one) => [one.name, one.get().values[0]?.value]);
    expect(metrics).toEqual([
      ['latchkey_redis_up', 0],
      ['latchkey_redis_fallbacks_total', 2],
    ]);
  });

  test('counts an answer that arrived while the event loop was busy for longer than the deadline', async () => {
    const [one, two] = [await onRedis(slow, redis.url), await onRedis(slow, redis.url, DEADLINE_MS)];
    const [keyId, before, decisions] = [newKey(), two.fallbacks(), [] as RateDecision[]];
    expect(admittedOf(await chargeTogether(one, keyId, 10))).toBe(10);
    for (let n = 0; n < 20; n += 1) {
      const decision = two.charge(keyId);
      // The call is sent at the end of this turn.
      await new Promise(setImmediate);
      const busyUntil = performance.now() + DEADLINE_MS + 5;
      // Redis answers in the order of the calls, so it has answered the charge by then.
      execFileSync('redis-cli', ['-p', String(redis.port), 'PING']);
      while (performance.now() < busyUntil);
      decisions.push(await decision);
    }
    expect([two.fallbacks() - before, admittedOf(decisions)]).toEqual([0, 0]);
  });

  test('answers at the deadline while Redis is paused, and shares again afterwards', async () => {
    const subject = await onRedis(slow, redis.url, DEADLINE_MS);
    const keyId = newKey();
    process.kill(redis.pid, 'SIGSTOP');
    try {
      // Without the deadline the answer would never come. How close the answer is to the deadline can't be tested on a
      // busy machine.
      const answered = (charges: Promise<unknown>) =>
        Promise.race([charges.then(() => 'answered'), sleep(50 * DEADLINE_MS, 'late')]);
      for (let n = 0; n < 12; n += 1) expect(await answered(subject.charge(newKey()))).toBe('answered');
      expect(await answered(chargeTogether(subject, newKey(), 100))).toBe('answered');
      expect(admittedOf(await chargeTogether(subject, keyId, 30))).toBe(10);
      // The connection is given up, and the log reports it.
      expect(await until(() => subject.outages.length === 1, 10_000)).toBe(true);
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    await shared(subject);
    await undisturbed([subject], async (fresh) => {
      expect(admittedOf(await chargeTogether(subject, fresh, 30))).toBe(10);
    });
  });
});
