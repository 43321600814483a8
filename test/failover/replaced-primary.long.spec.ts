import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { outcomeOf, type Outcome } from '../faults/measure.js';
import { times } from '../support/application/calls.js';
import { eventually } from '../support/eventually.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { printFigures } from '../support/jest/long-form.js';
import { startService, type Service } from '../support/processes/service.js';
import { PatroniCluster } from './ground/patroni-cluster.js';
import type { PatroniNode } from './ground/patroni-node.js';
import { Promotions } from './ground/promotions.js';

const KEYS = 4;
const QUESTIONS = 100;
const ENV = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000', DATABASE_PATIENCE_MS: '120' };

/**
 * The primary hangs until another is promoted. Then it resumes, while its Patroni, which would stop it, still hangs.
 */
describe('a primary that was replaced and does not know it', () => {
  let cluster: PatroniCluster;
  let replaced: PatroniNode;
  let promotions: Promotions;
  /** An instance that reaches all nodes. */
  let following: Service;
  /**
   * Instances that reach only the old primary: by a name that still leads there, or from its side of a split network.
   */
  const stuck: Record<string, Service> = {};
  let owner: Owner;
  let keys: Awaited<ReturnType<Owner['person']['newKey']>>[];
  beforeAll(async () => {
    cluster = await PatroniCluster.start();
    replaced = await cluster.leader();
    promotions = new Promotions(cluster.nodes);
    following = await startService({ ...ENV, DATABASE_URL: cluster.hostsUrl, READ_BARRIER: 'on' });
    for (const barrier of ['off', 'on'])
      stuck[barrier] = await startService({ ...ENV, DATABASE_URL: cluster.urlOf(replaced), READ_BARRIER: barrier });
    owner = await newOwner(following);
    keys = await Promise.all(times(KEYS, () => owner.person.newKey()));
    for (const service of [following, ...Object.values(stuck)])
      await eventually(async () => (await outcomes(service)).every((outcome) => outcome === 'grant'));
    const frozenAt = performance.now();
    replaced.machine.freeze();
    await eventually(async () => promotions.after(frozenAt));
    replaced.machine.thaw('postgres');
    for (const { apiKey } of keys)
      await eventually(async () => [200, 409].includes((await owner.person.revoke(apiKey.id)).status));
  });
  afterAll(async () => {
    await promotions.stop();
    for (const service of [following, ...Object.values(stuck)]) await service.stop();
    await cluster.stop();
  });

  const outcomes = (service: Service) =>
    Promise.all(keys.map((key) => outcomeOf(service.clients.validate(key.fullKey))));
  async function manyOutcomes(service: Service): Promise<Outcome[]> {
    const all: Outcome[] = [];
    while (all.length < QUESTIONS) all.push(...(await outcomes(service)));
    return all;
  }
  const count = (all: readonly Outcome[], wanted: Outcome) => all.filter((outcome) => outcome === wanted).length;

  test('grants revoked keys to an instance without READ_BARRIER that reaches no other', async () => {
    const all = await manyOutcomes(stuck['off']!);
    printFigures('a replaced primary, barrier off', { validations: all.length, 'stale grants': count(all, 'grant') });
    expect(count(all, 'grant')).toBeGreaterThan(0);
  });

  test('gives an instance with READ_BARRIER no answer', async () => {
    const all = await manyOutcomes(stuck['on']!);
    printFigures('a replaced primary, barrier on', { validations: all.length, 'stale grants': count(all, 'grant') });
    expect(count(all, 14)).toBe(all.length);
  });

  test('is not used by an instance that reaches the new primary', async () => {
    const all = await manyOutcomes(following);
    expect(count(all, 'grant')).toBe(0);
    expect(count(all, 'denial')).toBeGreaterThan(0);
  });

  test('grants nothing once its Patroni has stopped it', async () => {
    await replaced.thaw();
    await cluster.whole();
    expect(count(await outcomes(stuck['off']!), 'grant')).toBe(0);
  });
});
