import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Charged, leastAdmitted, mostAdmitted, playChanges } from '../support/history/changing-limits.js';
import { isLong, printFigures, shortOrLong } from '../support/jest/long-form.js';
import { type Service, startService } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { startRedisCluster } from '../support/stores/redis-cluster.mjs';

const KEY_COUNTS = shortOrLong([1], [1, 3]);
const SERVICE = { perSecond: 1, burst: 17 };

/** What an account is limited to, one after the other; undefined: to nothing of its own. */
const limited = (perSecond: number, burst: number): Charged => ({ perSecond, burst });
const CHANGES: Readonly<Record<string, readonly (Charged | undefined)[]>> = {
  'burst lowered': [limited(1, 15), limited(1, 13), limited(1, 10)],
  'burst raised': [limited(1, 10), limited(1, 12), limited(1, 15)],
  'rate lowered': [limited(8, 12), limited(3, 12), limited(1, 12)],
  'rate raised': [limited(1, 12), limited(3, 12), limited(8, 12)],
  'both lowered and raised': [limited(6, 14), limited(1, 10), limited(4, 13), limited(2, 11)],
  'removed and set': [limited(2, 15), undefined, limited(2, 14)],
};
const ROWS = Object.entries(CHANGES).flatMap(([name, limits]) =>
  KEY_COUNTS.map((keyCount) => [name, keyCount, limits] as const),
);

interface Store {
  readonly url?: string;
  stop(): Promise<void>;
}
const STORES: [name: string, open: () => Promise<Store>][] = [
  ['memory', async () => ({ stop: async () => {} })],
  ['Redis', async () => ({ url: `${process.env['LATCHKEY_TEST_REDIS_URL']}/12`, stop: async () => {} })],
];
if (isLong) STORES.push(['Redis Cluster', () => startRedisCluster(mkdtempSync(join(tmpdir(), 'limits-')))]);

describe.each(STORES)('the limits of an account at two instances, with rate limits in %s', (store, open) => {
  let opened: Store;
  let instances: Service[] = [];
  beforeAll(async () => {
    opened = await open();
    const limit = { RATE_LIMIT_PER_SECOND: String(SERVICE.perSecond), RATE_LIMIT_BURST: String(SERVICE.burst) };
    const env = { ...limit, ...(opened.url !== undefined && { REDIS_URL: opened.url }) };
    const one = await startService(env);
    instances = [one, await startService({ ...env, DATABASE_URL: one.databaseUrl })];
  });
  afterAll(async () => {
    for (const service of instances.toReversed()) await service.stop();
    await opened.stop();
  });

  /** Charges that an instance decided alone, because Redis did not answer a busy machine in time. */
  const fallbacks = async () => {
    const pages = await Promise.all(instances.map(({ url }) => readMetrics(url)));
    return pages.reduce((sum, page) => sum + page.sum('latchkey_redis_fallbacks_total'), 0);
  };
  /** Repeats it as long as limits were not shared, which is no fault of a change. */
  const play = async (limits: readonly (Charged | undefined)[], keyCount: number) => {
    for (;;) {
      const before = await fallbacks();
      const played = await playChanges({ instances, service: SERVICE, limits, keyCount });
      if ((await fallbacks()) === before) return played;
    }
  };

  test.each(ROWS)('hold for each key from the next validation on: %s, %d keys', async (name, keyCount, limits) => {
    const { seen, changes, wrong } = await play(limits, keyCount);
    expect(wrong).toEqual([]);
    const charged = limits.map((limit) => limit ?? SERVICE);
    // Without Redis, each instance counts for itself.
    const budgetOf = ({ caller, key }: (typeof seen)[number]) => (opened.url === undefined ? caller : key);
    let [admitted, most, least] = [0, 0, 0];
    for (const budget of new Set(seen.map(budgetOf))) {
      const charges = seen.filter((each) => budgetOf(each) === budget);
      const own = charges.filter(({ isAdmitted }) => isAdmitted).length;
      const [atLeast, atMost] = [leastAdmitted(charges, charged), mostAdmitted(charges, charged, changes)];
      expect([own, own >= atLeast, own <= atMost]).toEqual([own, true, true]);
      [admitted, most, least] = [admitted + own, most + atMost, least + atLeast];
    }
    const [answers, bounds] = [seen.length, { 'at least': least, 'at most': most }];
    printFigures(`limits of an account in ${store}, ${name}`, {
      keys: keyCount,
      instances: instances.length,
      answers,
      admitted,
      ...bounds,
      wrong: wrong.length,
    });
  });
});
