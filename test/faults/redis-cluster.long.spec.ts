import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, afterAll, describe, expect, test } from '@jest/globals';
import { until } from '../../scripts/lib/wait.mjs';
import { startRedisCluster } from '../support/stores/redis-cluster.mjs';
import { redisCli } from '../support/stores/redis.mjs';
import { RedisWatch } from './redis-watch.js';

/** How long a fault lasts that does not end by itself. */
const LASTS_MS = 3000;

describe('limits in a Redis Cluster', () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
  let watch: RedisWatch;
  beforeAll(async () => {
    cluster = await startRedisCluster(mkdtempSync(join(tmpdir(), 'faults-cluster-')));
  });
  afterEach(async () => {
    await watch.stop();
    expect(await until(cluster.isWhole, 60_000)).toBe(true);
  });
  afterAll(() => cluster.stop());

  const during = async (name: string, fault: () => Promise<void>) => {
    watch = await RedisWatch.start(cluster.url);
    return watch.during(`Redis Cluster, ${name}`, async () => {
      await fault();
      expect(await until(cluster.isServing, 60_000)).toBe(true);
    });
  };
  const replicaOf = async (id: string) => {
    const [line] = (await cluster.nodes[0]!.cli('CLUSTER', 'REPLICAS', id)).split('\n');
    return cluster.nodes.find(({ port }) => line!.includes(`:${port}@`))!;
  };
  /** Waits until a slot has a different owner. */
  const replaced = async (slot: number, port: number) =>
    expect(await until(async () => (await cluster.ownerOf(slot)).node.port !== port, 60_000, 50)).toBe(true);

  test('are shared again after a primary was killed and its replica took over', async () => {
    const { node } = await cluster.ownerOf(0);
    await during('primary killed', async () => {
      await node.kill();
      await replaced(0, node.port);
    });
    await node.start();
  });

  test('stay shared while a replica takes over on request', async () => {
    const { node, id } = await cluster.ownerOf(0);
    const replica = await replicaOf(id);
    const { lines } = await during('CLUSTER FAILOVER', async () => {
      await replica.cli('CLUSTER', 'FAILOVER');
      await replaced(0, node.port);
    });
    expect(lines).toBe(0);
  });

  test('stay shared while 2,000 slots move to another node', async () => {
    const [from, to] = [await cluster.ownerOf(0), await cluster.ownerOf(16383)];
    const { lines } = await during('2,000 slots move', async () => {
      await redisCli(
        ...['--cluster', 'reshard', `127.0.0.1:${to.node.port}`, '--cluster-slots', '2000', '--cluster-yes'],
        ...['--cluster-from', from.id, '--cluster-to', to.id],
      );
    });
    expect(lines).toBe(0);
  });

  test('are shared again after a primary hung and was replaced', async () => {
    const { node } = await cluster.ownerOf(16383);
    await during('primary frozen and thawed', async () => {
      node.freeze();
      await replaced(16383, node.port);
      await sleep(LASTS_MS);
      node.thaw();
    });
  });

  test('are shared again after a primary and its replica were lost and came back', async () => {
    const { node, id } = await cluster.ownerOf(8000);
    const replica = await replicaOf(id);
    await during('a primary and its replica lost', async () => {
      await Promise.all([replica.kill(), node.kill()]);
      await sleep(LASTS_MS);
      await node.start();
    });
    await replica.start();
  });

  test('are shared again after all nodes but one were lost and came back', async () => {
    const [, ...others] = cluster.nodes;
    await during('five of six lost', async () => {
      await Promise.all(others.map((node) => node.kill()));
      await sleep(LASTS_MS);
      await Promise.all(others.map((node) => node.start()));
    });
  });
});
