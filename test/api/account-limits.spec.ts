import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ValidateKeyResponse__Output as Answer } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { secondsOf } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { isLong, printFigures, shortOrLong } from '../support/jest/long-form.js';
import { type Service, startService } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { startRedisCluster } from '../support/stores/redis-cluster.mjs';

/** Answers about each key at each instance after each change: more than any burst of the tests. */
const ANSWERS = shortOrLong(20, 40);
/** The account gets them one after the other, together with its limits. */
const CEILINGS = ['ACCESS_LEVEL_READ_ONLY', 'ACCESS_LEVEL_READ_AND_WRITE'] as const;

const KEY_COUNTS = shortOrLong([1], [1, 3]);
const SERVICE = { perSecond: 1, burst: 17 };

/** Requests per second and burst, as the answers show them. */
interface Charged {
  readonly burst: number;
  readonly perSecond: number;
}

/** One answer about a key. Times are milliseconds on the test's clock. */
interface Seen {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The number of the limit in the order of the changes. */
  readonly limit: number;
  readonly isAdmitted: boolean;
  /** One instance and one key. */
  readonly caller: string;
  readonly key: string;
  readonly answer: Answer;
}

/** When a PutAccount was sent and answered. */
interface Change {
  readonly from: number;
  readonly until: number;
}

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
      const played = await playChanges(instances, limits, keyCount);
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

/** Validates the keys of a new account at all instances without a pause while the limits change. */
async function playChanges(instances: readonly Service[], limits: readonly (Charged | undefined)[], keyCount: number) {
  const { id, email, person } = await newOwner(instances[0]!);
  const keys: string[] = [];
  while (keys.length < keyCount) keys.push((await person.newKey({ access: 'read-and-write' })).fullKey);
  const [seen, changes, counts]: [Seen[], Change[], Map<string, number>] = [[], [], new Map()];
  const change = async (index: number) => {
    const from = performance.now();
    const { perSecond = 0, burst = 0 } = limits[index] ?? {};
    const terms = { requestsPerSecond: perSecond, burst, maxAccess: CEILINGS[index % 2]! };
    const { clients } = instances[index % 2]!;
    await clients.putAccount({ id, email, permissions: ['systems:read', 'systems:write'], limits: terms });
    changes.push({ from, until: performance.now() });
  };
  await change(0);
  const over = new AbortController();
  const callers = instances.flatMap((instance, place) =>
    keys.map((key) => ({ instance, key, name: `${place} ${key}` })),
  );
  const calls = callers.map(async ({ instance, key, name }) => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      const answer = await instance.clients.validate(key, { operation: 'OPERATION_WRITE' });
      const limit = limits.findIndex((each) => isChargedBy(answer, each));
      const isAdmitted = answer.denial?.reason !== 'REASON_RATE_LIMITED';
      seen.push({ caller: name, key, answer, startedAt, endedAt: performance.now(), limit, isAdmitted });
      if (startedAt > changes.at(-1)!.until) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  });
  try {
    for (let index = 0; index < limits.length; index += 1) {
      if (index > 0) await change(index);
      counts.clear();
      await eventually(async () => callers.every(({ name }) => (counts.get(name) ?? 0) >= ANSWERS));
    }
  } finally {
    over.abort();
    await Promise.all(calls);
  }
  const wrong = seen.filter((each) => !isInTime(each, changes) || !isUnderCeiling(each));
  return { seen, changes, wrong };
}

function isChargedBy({ rateLimit }: Answer, limit: Charged | undefined): boolean {
  if (!limit) return rateLimit?.limit === SERVICE.burst && rateLimit.window === null;
  const window = rateLimit?.window && secondsOf(rateLimit.window);
  return rateLimit?.limit === limit.burst && window === Math.ceil(limit.burst / limit.perSecond);
}

/** Whether the limit that an answer shows was set before its end, and not replaced before its start. */
function isInTime({ limit, startedAt, endedAt }: Seen, changes: readonly Change[]): boolean {
  const next = changes[limit + 1];
  return limit >= 0 && endedAt > changes[limit]!.from && (!next || startedAt < next.until);
}

/** Whether a request to write was answered as the ceiling next to its limit says. */
function isUnderCeiling({ limit, answer, isAdmitted }: Seen): boolean {
  if (!isAdmitted) return true;
  const isReadOnly = CEILINGS[limit % 2] === 'ACCESS_LEVEL_READ_ONLY';
  return isReadOnly ? answer.denial?.reason === 'REASON_READ_ONLY_KEY' : answer.grant?.access === CEILINGS[limit % 2];
}

/**
 * How many requests a limiter may admit at most that never forgets a used request, while the limit changes: what the last
 * burst holds, what each lower burst could not hold any more, and what was regained in the time that the answers show.
 * A request that was read under the old limit and charged after one under the new limit (`late`) takes the used requests
 * to the old burst and back.
 *
 * @param charges all of one key and one store, in any order
 */
function mostAdmitted(charges: readonly Seen[], limits: readonly Charged[], changes: readonly Change[]): number {
  let most = limits.at(-1)!.burst;
  limits.forEach(({ burst, perSecond }, index) => {
    const own = charges.filter(({ limit }) => limit === index);
    const lastEnd = Math.max(changes[index]!.from, ...own.map(({ endedAt }) => endedAt));
    const ends = charges.flatMap(({ startedAt, endedAt }) => (startedAt >= lastEnd ? [endedAt] : []));
    const regainedUntil = ends.length > 0 ? Math.min(...ends) : lastEnd;
    most += Math.ceil(((regainedUntil - changes[index]!.from) / 1000) * perSecond);
    const next = limits[index + 1];
    if (!next) return;
    const firstOfNext = Math.min(
      ...charges.flatMap(({ limit, startedAt }) => (limit === index + 1 ? [startedAt] : [])),
    );
    const late = own.filter(({ endedAt }) => endedAt > firstOfNext).length;
    most += Math.max(0, burst - next.burst) + late * Math.max(1, next.burst - burst);
  });
  return most;
}

/** How many a limiter admits at least: the first burst, and by what each higher burst is higher. */
function leastAdmitted(charges: readonly Seen[], limits: readonly Charged[]): number {
  const gains = limits.map(({ burst }, index) => {
    const count = charges.filter(({ limit }) => limit === index).length;
    return Math.min(count, Math.max(0, burst - (limits[index - 1]?.burst ?? 0)));
  });
  return gains.reduce((sum, gain) => sum + gain, 0);
}
