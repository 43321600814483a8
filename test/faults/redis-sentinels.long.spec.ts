import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../scripts/lib/wait.mjs';
import type { RateLimit } from '#domain/rate-limit.js';
import { onRedis } from '../contracts/limited.js';
import { describeRateLimiter } from '../contracts/rate-limiter-contract.js';
import { startRedis } from '../support/stores/redis.mjs';
import { RedisWatch } from './redis-watch.js';

/** How long the primary may be silent before the sentinels replace it, in milliseconds. */
const DOWN_AFTER_MS = 500;
/** How long a fault lasts that does not end by itself. */
const LASTS_MS = 3000;

let sentinels: Awaited<ReturnType<typeof startSentinels>>;
beforeAll(async () => {
  sentinels = await startSentinels(mkdtempSync(join(tmpdir(), 'faults-sentinels-')));
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

/** Starts a Redis, a replica of it and three sentinels. */
async function startSentinels(folder: string) {
  const settings = ['--repl-diskless-sync-delay', '0'];
  const first = await startRedis(join(folder, 'redis-0'), undefined, settings);
  const replicaOf = ['--replicaof', `127.0.0.1 ${first.port}`];
  const servers = [first, await startRedis(join(folder, 'redis-1'), undefined, [...settings, ...replicaOf])];
  const startSentinel = (n: number) => {
    const own = join(folder, `sentinel-${n}`);
    // A sentinel needs its own file, because it writes into it.
    mkdirSync(own);
    const lines = [
      `sentinel monitor limits 127.0.0.1 ${first.port} 2`,
      `sentinel down-after-milliseconds limits ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout limits 2000`,
    ];
    writeFileSync(join(own, 'sentinel.conf'), `${lines.join('\n')}\n`);
    return startRedis(own, undefined, [], join(own, 'sentinel.conf'));
  };
  const all = await Promise.all([0, 1, 2].map(startSentinel));
  const primary = async () => {
    const query = ['--json', 'SENTINEL', 'get-master-addr-by-name', 'limits'];
    const [, port] = JSON.parse(await Promise.any(all.map(({ cli }) => cli(...query))));
    return servers.find((server) => server.port === Number(port))!;
  };
  /** Whether the sentinels know each other, and the primary has its replica in step. */
  const isWhole = async () => {
    try {
      const views = await Promise.all(all.map(({ cli }) => cli('SENTINEL', 'CKQUORUM', 'limits')));
      const replication = await (await primary()).cli('INFO', 'replication');
      return views.every((view) => view.startsWith('OK 3')) && /role:master[^]*slave0:.*state=online/.test(replication);
    } catch {
      return false;
    }
  };
  expect(await until(isWhole, 30_000, 50)).toBe(true);
  return {
    url: `redis+sentinel://${all.map(({ port }) => `127.0.0.1:${port}`).join(',')}/limits`,
    sentinels: all,
    primary,
    isWhole,
    stop: () => Promise.all([...all, ...servers].map((one) => one.kill())),
  };
}
