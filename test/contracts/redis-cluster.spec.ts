import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../scripts/lib/wait.mjs';
import type { RateLimit } from '#domain/rate-limit.js';
import { startRedisCluster } from '../support/stores/redis-cluster.mjs';
import { admittedOf, chargeTogether, newKey, onRedis, shared, undisturbed, type Subject } from './limited.js';
import { describeRateLimiter } from './rate-limiter-contract.js';

let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
beforeAll(async () => {
  cluster = await startRedisCluster(mkdtempSync(join(tmpdir(), 'redis-cluster-')));
}, 60_000);
afterAll(() => cluster.stop());

const onCluster = (limit: RateLimit) => onRedis(limit, cluster.url);

describeRateLimiter('RedisRateLimiter over a cluster', onCluster);

describe('RedisRateLimiter with a cluster', () => {
  /** So slow that no request is regained during a test. */
  const slow = { perSecond: 1 / 3600, burst: 10 };
  const slotOfKey = async (keyId: string) =>
    Number(await cluster.nodes.at(-1)!.cli('CLUSTER', 'KEYSLOT', `latchkey:rate:${keyId}`));

  test('shares one budget between two instances', async () => {
    const [one, two] = [await onCluster(slow), await onCluster(slow)];
    await undisturbed([one, two], async (keyId) => {
      const decisions = (await Promise.all([chargeTogether(one, keyId, 30), chargeTogether(two, keyId, 30)])).flat();
      expect(admittedOf(decisions)).toBe(10);
    });
  });

  test('keeps the budget of a key while its slot moves to another node, and afterwards', async () => {
    const [one, two] = [await onCluster(slow), await onCluster(slow)];
    await undisturbed([one, two], async (keyId) => {
      const slot = await slotOfKey(keyId);
      const from = await cluster.ownerOf(slot);
      const to = await cluster.ownerOf((slot + 8192) % 16384);
      const name = `latchkey:rate:${keyId}`;
      expect(admittedOf(await chargeTogether(one, keyId, 3))).toBe(3);

      await to.node.cli('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', from.id);
      await from.node.cli('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', to.id);
      expect(admittedOf(await chargeTogether(one, keyId, 3))).toBe(3);
      await from.node.cli('MIGRATE', '127.0.0.1', String(to.node.port), name, '0', '5000');
      // The slot has not moved yet, but the key has.
      expect(admittedOf(await chargeTogether(two, keyId, 3))).toBe(3);
      for (const { node } of [to, from]) await node.cli('CLUSTER', 'SETSLOT', String(slot), 'NODE', to.id);
      expect(admittedOf(await chargeTogether(one, keyId, 5))).toBe(1);
      expect(await two.charge(keyId)).toMatchObject({ admitted: false });
    });
  });

  test('limits only the keys of a killed primary by process, until its replica takes over', async () => {
    const [one, two] = [await onCluster(slow), await onCluster(slow)];
    const keyOn = async (port: number) => {
      for (;;) {
        const keyId = newKey();
        if ((await cluster.ownerOf(await slotOfKey(keyId))).node.port === port) return keyId;
      }
    };
    const { node: killed } = await cluster.ownerOf(0);
    const { node: other } = await cluster.ownerOf(16383);
    const lost = await keyOn(killed.port);
    await killed.kill();
    const decidedHere = async (subject: Subject, keyId: string) => {
      const before = subject.fallbacks();
      await subject.charge(keyId);
      return subject.fallbacks() > before;
    };
    for (const subject of [one, two]) {
      expect(await until(() => decidedHere(subject, lost), 5000, 1)).toBe(true);
      expect(await until(() => subject.outages.length === 1, 5000)).toBe(true);
    }
    expect(await decidedHere(one, await keyOn(other.port))).toBe(false);

    for (const subject of [one, two]) {
      expect(await until(async () => !(await decidedHere(subject, lost)), 30_000)).toBe(true);
      expect(await until(() => subject.outages.length === 2, 5000)).toBe(true);
      expect(subject.outages.map(({ level }) => level)).toEqual([40, 30]);
    }
    await Promise.all([one, two].map(shared));
    await undisturbed([one, two], async (keyId) => {
      expect(admittedOf(await chargeTogether(one, keyId, 30))).toBe(10);
      expect(await two.charge(keyId)).toMatchObject({ admitted: false });
    });
    await killed.start();
    expect(await until(cluster.isWhole, 30_000)).toBe(true);
  });
});
