import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { printFigures } from '../support/jest/long-form.js';
import { newOwner } from '../support/callers/owners.js';
import { PrintedLog } from '../support/reading/printed-log.js';
import { startRedis } from '../support/stores/redis.mjs';
import { startService, startServiceHere, type Service } from '../support/processes/service.js';
import { SlowLine } from '../support/stores/slow-line.js';
import { inTurn, outcomeOf } from './measure.js';

/** A slow refill, so that charges stay during a test. */
const LIMIT = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1000' };

describe('the service with Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faults-redis-'));
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let line: SlowLine;
  let service: Service;
  let other: Service;
  let fullKey: string;
  beforeAll(async () => {
    redis = await startRedis(folder);
    line = await SlowLine.to(redis.url);
    const REDIS_URL = line.instead(redis.url);
    service = await startService({ ...LIMIT, REDIS_URL });
    other = await startService({ ...LIMIT, REDIS_URL, DATABASE_URL: service.databaseUrl });
  });
  afterEach(async () => {
    fullKey = await newKey();
    await eventuallyShared();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
    line.close();
    await redis.stop();
  });

  const newKey = async () => (await (await newOwner(service)).person.newKey({ access: 'read-only' })).fullKey;
  const remaining = async (instance: Service, key = fullKey) =>
    (await instance.clients.validate(key)).rateLimit!.remaining;
  /** Many charges, which are one call to Redis. */
  const charge200 = async ({ clients }: Service, key: string) => {
    await Promise.all(Array.from({ length: 200 }, () => clients.validate(key)));
  };
  /** Waits until one instance sees the charges of the other. Charges for which Redis is late are counted separately. */
  async function eventuallySees(looking: Service, charging: Service): Promise<void> {
    const key = await newKey();
    await eventually(async () => {
      await charge200(charging, key);
      return (await remaining(looking, key)) < 850;
    });
  }
  async function eventuallyShared(): Promise<void> {
    await eventuallySees(other, service);
    await eventuallySees(service, other);
  }
  /**
   * Checks that they do not. Tries another key if the machine was so slow that a charge was refilled in the meantime.
   */
  const eventuallyPerProcess = () =>
    eventually(async () => {
      const key = await newKey();
      const seen = [await remaining(service, key), await remaining(other, key), await remaining(service, key)];
      return JSON.stringify(seen) === JSON.stringify([999, 999, 998]);
    });
  /** Checks every kind of verdict, except the limit's. */
  async function expectSameVerdicts(): Promise<void> {
    const { clients } = service;
    expect(await outcomeOf(clients.validate(fullKey))).toBe('grant');
    const reasonOf = async (apiKey: string, request = {}) => (await clients.validate(apiKey, request)).denial?.reason;
    expect(await reasonOf(fullKey, { operation: 'OPERATION_WRITE' })).toBe('REASON_READ_ONLY_KEY');
    expect(await reasonOf(fullKey, { permission: 'reports:read' })).toBe('REASON_MISSING_PERMISSION');
    expect(await reasonOf(withWrongSecret(fullKey))).toBe('REASON_INVALID_KEY');
    expect(await reasonOf(unknownKey())).toBe('REASON_INVALID_KEY');
  }

  test('shares the limit of a key between its instances', async () => {
    fullKey = await newKey();
    await eventuallyShared();
    await expectSameVerdicts();
  });

  test.each(['stopped', 'killed'])(
    'gives the same verdicts while Redis is %s, limits keys per process, and shares the limits again afterwards',
    async (how) => {
      if (how === 'killed') process.kill(redis.pid, 'SIGKILL');
      await redis.stop();
      await expectSameVerdicts();
      await eventuallyPerProcess();
      const { medianMs } = await inTurn(15, () => remaining(service));
      redis = await startRedis(folder, redis.port);
      const backAt = performance.now();
      await eventuallyShared();
      const backMs = Math.round(performance.now() - backAt);
      printFigures(`Redis ${how}`, {
        'wrong verdicts': 0,
        'answered in ms': medianMs.toFixed(1),
        'shared after ms': backMs,
      });
    },
  );

  test('gives the same verdicts without waiting while Redis hangs', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    try {
      await expectSameVerdicts();
      const { outcomes, medianMs } = await inTurn(15, () => outcomeOf(service.clients.validate(fullKey)));
      expect(outcomes).toEqual(new Array(15).fill('grant'));
      printFigures('Redis paused', { 'wrong verdicts': 0, 'answered in ms': medianMs.toFixed(1) });
      const crowd = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(service.clients.validate(fullKey))));
      expect(new Set(crowd)).toEqual(new Set(['grant']));
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
  });

  test('gives the same verdicts without waiting while Redis is slow, and limits keys per process', async () => {
    line.delayMs = 200;
    try {
      await expectSameVerdicts();
      const key = await newKey();
      expect([await remaining(service, key), await remaining(other, key)]).toEqual([999, 999]);
      const { outcomes, medianMs } = await inTurn(15, () => outcomeOf(service.clients.validate(fullKey)));
      expect(outcomes).toEqual(new Array(15).fill('grant'));
      printFigures('Redis slow', { 'wrong verdicts': 0, 'answered in ms': medianMs.toFixed(1) });
    } finally {
      line.delayMs = 0;
    }
  });

  test('loses only the state of the limits when Redis is flushed', async () => {
    const admin = new Redis(redis.url);
    const key = await newKey();
    await eventually(async () => {
      await charge200(service, key);
      const before = await remaining(other, key);
      await admin.flushall();
      return before < 850 && (await remaining(other, key)) === 999;
    });
    admin.disconnect();
    await expectSameVerdicts();
  });

  test('delays a key only as after its whole burst when the clock of Redis is set back by an hour', async () => {
    const admin = new Redis(redis.url);
    const { apiKey, fullKey: key } = await (await newOwner(service)).person.newKey({ access: 'read-only' });
    const name = `latchkey:rate:${apiKey.id}`;
    const [hourS, fullS] = [60 * 60, 1000];
    const backlogS = async () => Number(await admin.get(name)) / 1e6 - Number((await admin.time())[0]);
    await eventually(async () => {
      await charge200(service, key);
      return (await backlogS()) > 100;
    });
    // Like Redis after its clock was set back: the stored value and its expiry are an hour ahead.
    await admin.set(name, String(Number(await admin.get(name)) + hourS * 1e6), 'PX', 2 * hourS * 1000);
    // While Redis is late, the process decides, and the value in Redis does not change.
    await eventually(async () => {
      const { rateLimit, denial } = await service.clients.validate(key);
      if ((await backlogS()) > hourS / 2) return false;
      expect(Number(rateLimit!.resetAfter!.seconds)).toBeLessThanOrEqual(fullS);
      expect(Number(denial?.retryAfter?.seconds ?? 0)).toBeLessThanOrEqual(1);
      return true;
    }, 30_000);
    expect(await backlogS()).toBeLessThanOrEqual(fullS + 1);
    await eventually(async () => (await service.clients.validate(key)).grant);
    admin.disconnect();
  });

  test('gives the same verdicts when Redis has another value under the name of a limit', async () => {
    const admin = new Redis(redis.url);
    const names = await admin.keys('latchkey:rate:*');
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) await admin.multi().del(name).lpush(name, 'nonsense').exec();
    await expectSameVerdicts();
    await admin.flushall();
    admin.disconnect();
  });
});

describe.each<[string, (admin: Redis) => Promise<unknown>, (admin: Redis) => Promise<unknown>, RegExp]>([
  [
    'may not run scripts',
    (admin) => admin.acl('SETUSER', 'default', '-@scripting'),
    (admin) => admin.acl('SETUSER', 'default', '+@all'),
    /NOPERM/,
  ],
  [
    'is full and evicts nothing',
    (admin) => admin.config('SET', 'maxmemory', '1'),
    (admin) => admin.config('SET', 'maxmemory', '0'),
    /OOM/,
  ],
  [
    'is a replica that only reads',
    (admin) => admin.call('REPLICAOF', '127.0.0.1', '1'),
    (admin) => admin.call('REPLICAOF', 'NO', 'ONE'),
    /READONLY/,
  ],
])('a Redis that %s', (_, spoil, mend, reason) => {
  test('counts as away: it is logged once, and shown by the metric, until it charges again', async () => {
    const log = new PrintedLog();
    const redis = await startRedis(mkdtempSync(join(tmpdir(), 'refusing-redis-')));
    const admin = new Redis(redis.url);
    const service = await startServiceHere({ ...LIMIT, REDIS_URL: redis.url, LOG_LEVEL: 'info' });
    const isUp = async (expected: number) =>
      (await (await fetch(`${service.url}/metrics`)).text()).includes(`latchkey_redis_up ${expected}\n`);
    const lines = (message: string) => log.text.split('\n').filter((line) => line.includes(`"msg":"${message}`));
    try {
      const { fullKey } = await (await newOwner(service)).person.newKey();
      await eventually(() => isUp(1));
      await spoil(admin);
      await eventually(async () => {
        expect((await service.clients.validate(fullKey)).grant).toBeTruthy();
        return isUp(0);
      });
      expect(lines('Redis is away')).toEqual([expect.stringMatching(reason)]);
      await mend(admin);
      await eventually(() => isUp(1));
      await service.clients.validate(fullKey);
      expect([lines('Redis is away').length, lines('Redis is back').length]).toEqual([1, 1]);
    } finally {
      await service.stop();
      admin.disconnect();
      await redis.stop();
      log.stop();
    }
  });
});
