import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../scripts/lib/wait.mjs';
import type { RateLimit } from '#domain/rate-limit.js';
import { onRedis } from '../contracts/limited.js';
import { describeRateLimiter } from '../contracts/rate-limiter-contract.js';
import { startRedisSentinels } from '../support/stores/redis-sentinels.mjs';
import { RedisWatch } from './redis-watch.js';

/** How long a fault lasts that does not end by itself. */
const LASTS_MS = 3000;

let sentinels: Awaited<ReturnType<typeof startRedisSentinels>>;
beforeAll(async () => {
  sentinels = await startRedisSentinels(mkdtempSync(join(tmpdir(), 'faults-sentinels-')));
});
afterAll(() => sentinels.stop());

describeRateLimiter('RedisRateLimiter under Sentinel', (limit: RateLimit) => onRedis(limit, sentinels.url));

describe('limits in a Redis under Sentinel', () => {
  let watch: RedisWatch;
  afterEach(async () => {
    await watch.stop();
    expect(await until(sentinels.isWhole, 60_000, 50)).toBe(true);
  });

  const during = async (name: string, fault: () => Promise<void>) => {
    watch = await RedisWatch.start(sentinels.url);
    return watch.during(`Redis under Sentinel, ${name}`, fault);
  };
  const replaced = async (port: number) =>
    expect(await until(async () => (await sentinels.primary()).port !== port, 60_000, 20)).toBe(true);

  test('are shared again after the primary was killed and its replica took over', async () => {
    const primary = await sentinels.primary();
    await during('primary killed', async () => {
      await primary.kill();
      await replaced(primary.port);
    });
    await primary.start();
  });

  test('are shared again after the primary hung and was replaced', async () => {
    const primary = await sentinels.primary();
    await during('primary frozen and thawed', async () => {
      primary.freeze();
      await replaced(primary.port);
      await sleep(LASTS_MS);
      primary.thaw();
    });
  });

  test('are shared again after a replica took over on request', async () => {
    const primary = await sentinels.primary();
    await during('SENTINEL FAILOVER', async () => {
      await sentinels.sentinels[0]!.cli('SENTINEL', 'FAILOVER', 'limits');
      await replaced(primary.port);
    });
  });

  test('stay shared while all sentinels are lost', async () => {
    const { lines } = await during('sentinels lost', async () => {
      await Promise.all(sentinels.sentinels.map((sentinel) => sentinel.kill()));
      await sleep(LASTS_MS);
      await Promise.all(sentinels.sentinels.map((sentinel) => sentinel.start()));
    });
    expect(lines).toBe(0);
  });

  test('are shared again after a sentinel and the primary were lost', async () => {
    const primary = await sentinels.primary();
    const [sentinel] = sentinels.sentinels;
    await during('primary and a sentinel killed', async () => {
      await Promise.all([sentinel!.kill(), primary.kill()]);
      const living = sentinels.sentinels[1]!;
      const named = async () =>
        !(await living.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'limits')).includes(`${primary.port}`);
      expect(await until(named, 60_000, 20)).toBe(true);
    });
    await Promise.all([sentinel!.start(), primary.start()]);
  });
});
