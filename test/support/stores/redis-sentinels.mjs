import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../scripts/lib/wait.mjs';
import { startRedisProcess } from './redis-process.mjs';

/** How long the primary may be silent before the sentinels replace it, in milliseconds. */
const DOWN_AFTER_MS = 500;
const NAME = 'limits';

/**
 * Starts a Redis, a replica of it and three sentinels, on free loopback ports.
 * @param {string} folder made for it
 */
export async function startRedisSentinels(folder) {
  const settings = ['--repl-diskless-sync-delay', '0'];
  const first = await startRedisProcess(join(folder, 'redis-0'), settings);
  const replicaOf = ['--replicaof', `127.0.0.1 ${first.port}`];
  const servers = [first, await startRedisProcess(join(folder, 'redis-1'), [...settings, ...replicaOf])];
  const sentinels = await Promise.all([0, 1, 2].map((n) => startSentinel(join(folder, `sentinel-${n}`), first.port)));

  const primaryPort = async () => {
    const [port] = await Promise.any(
      sentinels.map(async ({ cli }) => [await cli('--json', 'SENTINEL', 'get-master-addr-by-name', NAME)]),
    );
    return Number(JSON.parse(port ?? '[]')[1]);
  };
  const primary = async () => {
    const port = await primaryPort();
    return /** @type {typeof first} */ (servers.find((server) => server.port === port));
  };
  /** Whether the sentinels know each other, and the primary has its replica in step. */
  const isWhole = async () => {
    try {
      const views = await Promise.all(sentinels.map(({ cli }) => cli('SENTINEL', 'CKQUORUM', NAME)));
      const replication = await (await primary()).cli('INFO', 'replication');
      return views.every((view) => view.startsWith('OK 3')) && /role:master[^]*slave0:.*state=online/.test(replication);
    } catch {
      return false;
    }
  };
  if (!(await until(isWhole, 30_000, 50))) throw new Error('the sentinels did not find each other');
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    servers,
    sentinels,
    primary,
    isWhole,
    stop: async () => void (await Promise.all([...sentinels, ...servers].map((one) => one.kill()))),
  };
}

/**
 * @param {string} folder
 * @param {number} primaryPort
 */
async function startSentinel(folder, primaryPort) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'sentinel.conf');
  const settings = [
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 2000`,
  ];
  // A sentinel needs its own file, because it writes into it.
  writeFileSync(file, `${settings.join('\n')}\n`);
  return startRedisProcess(folder, [], file);
}
