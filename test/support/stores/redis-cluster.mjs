import { join } from 'node:path';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { until } from '../../../scripts/lib/wait.mjs';
import { redisCli, startRedis } from './redis.mjs';

/** How long a node may be silent before the others replace it, in milliseconds. */
const NODE_TIMEOUT_MS = 1000;

/**
 * Starts a cluster of six Redis on free loopback ports: three primaries, a replica for each.
 * @param {string} folder made for it
 */
export async function startRedisCluster(folder) {
  const nodes = await Promise.all(Array.from({ length: 6 }, (_, n) => startNode(join(folder, `node-${n}`))));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await redisCli('--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes');

  /**
   * Whether every node runs, knows a living owner of each slot, and is a primary with a replica in step, or such a
   * replica.
   */
  const isWhole = async () => {
    const states = await Promise.all(
      nodes.map(async ({ cli }) => (await cli('CLUSTER', 'INFO')) + (await cli('INFO', 'replication'))),
    ).catch(() => ['stopped']);
    const inStep = /master_link_status:up|slave0:.*state=online/;
    return states.every((state) => state.includes('cluster_state:ok') && inStep.test(state));
  };
  /** Whether every node that answers accepts charges. */
  const isServing = async () => {
    const states = await Promise.all(nodes.map(({ cli }) => cli('CLUSTER', 'INFO').catch(() => 'cluster_state:ok')));
    return states.every((state) => state.includes('cluster_state:ok'));
  };
  /** @param {number} slot */
  const ownerOf = async (slot) => {
    const [answer] = await Promise.any(nodes.map(async ({ cli }) => [await cli('--json', 'CLUSTER', 'SLOTS')]));
    /** @type {[number, number, [string, number, string]][]} */
    const ranges = JSON.parse(answer ?? '[]');
    const [, , [, port, id]] = ranges.find(([first, last]) => first <= slot && slot <= last) ?? [0, 0, ['', 0, '']];
    const node = nodes.find((one) => one.port === port);
    if (!node) throw new Error(`slot ${slot} has no owner`);
    return { node, id };
  };
  if (!(await until(isWhole, 30_000))) throw new Error('the cluster did not form');
  return {
    url: `redis+cluster://${addresses.join(',')}`,
    nodes,
    isWhole,
    isServing,
    ownerOf,
    stop: async () => void (await Promise.all(nodes.map((node) => node.kill()))),
  };
}

/** @param {string} folder */
async function startNode(folder) {
  return startRedis(folder, undefined, [
    ...['--cluster-enabled', 'yes', '--cluster-config-file', join(folder, 'nodes.conf')],
    ...['--cluster-port', String(await freePort()), '--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
    // When a node and its replica are lost, the slots of the other nodes still work.
    ...['--cluster-require-full-coverage', 'no'],
    // A replica is promoted regardless of how long it was without its primary.
    ...['--cluster-replica-validity-factor', '0', '--repl-diskless-sync-delay', '0'],
  ]);
}
