import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { sql } from '../support/stores/sql.js';
import { startPlatformLogin, type PlatformLogin } from '../support/platform/platform-login.js';
import { FAULTS } from './faults.js';
import { PatroniCluster } from './ground/patroni-cluster.js';
import type { PatroniNode } from './ground/patroni-node.js';
import { type Promotion, Promotions } from './ground/promotions.js';
import { Pair, type Traffic } from './load/pair.js';

/** The grants that each pair must get before a fault, and again after it. */
const GRANTS = 100;
const CHANGES = 20;
/** Without the barrier, and with it from the moment that the new primary has its standby. Printed, not checked. */
const BACK_WITHIN_SECONDS = 2;
/**
 * The connections of two pairs: for each instance, its maximum number to PostgreSQL and the one that checks which host
 * is the primary.
 */
const CONNECTIONS = 4 * (13 + 1);

let cluster: PatroniCluster;
let login: PlatformLogin;
beforeAll(async () => {
  login = await startPlatformLogin();
  cluster = await PatroniCluster.start();
});
afterAll(async () => {
  await cluster.stop();
  await login.stop();
});

describe.each(['off', 'on'])('two instances on three Patroni nodes, with READ_BARRIER=%s', (barrier) => {
  const pairs: Pair[] = [];
  beforeAll(async () => {
    const urls = { HAProxy: cluster.proxyUrl, hosts: cluster.hostsUrl };
    for (const [name, url] of Object.entries(urls))
      pairs.push(await Pair.start(name, login, { DATABASE_URL: url, READ_BARRIER: barrier }));
  });
  afterAll(async () => {
    for (const pair of pairs) await pair.stop();
  });

  test.each(FAULTS)('lose and contradict no answer while $name', async (fault) => {
    await cluster.whole();
    const promotions = new Promotions(cluster.nodes);
    const traffic = pairs.map((pair) => pair.begin());
    const more = (of: Traffic) => {
      const [granted, changes] = [of.granted + GRANTS, of.changes + CHANGES];
      return eventually(async () => of.granted > granted && of.changes > changes);
    };
    await Promise.all(traffic.map(more));
    const faultAt = performance.now();
    await fault.happen(cluster, promotions);
    const primary = await cluster.whole();
    await Promise.all(traffic.map(more));
    await promotions.stop();
    const promotion = fault.promotes ? promotions.after(faultAt)! : undefined;
    // All pairs end first, because their traffic would disturb the next fault.
    const ended = await Promise.all(traffic.map((one) => one.end(promotion?.at)));
    for (const [index, figures] of ended.entries()) {
      const lost = await traffic[index]!.ledger.lostIn(cluster.urlOf(primary));
      printFault(`${fault.name}, ${pairs[index]!.name}, barrier ${barrier}`, promotion, figures, lost);
      expect({ ...lost, ...figures }).toMatchObject({
        created: 0,
        revoked: 0,
        staleGrants: 0,
        wronglyRefused: 0,
        broken: [],
        violations: [],
      });
    }
    await eventually(async () => (await connectionsTo(primary)) <= CONNECTIONS);
  });
});

async function connectionsTo(primary: PatroniNode): Promise<number> {
  const rows = await sql(primary.url(), `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'latchkey%'`);
  return rows.length;
}

type Ended = Awaited<ReturnType<Traffic['end']>>;
type Lost = Awaited<ReturnType<Traffic['ledger']['lostIn']>>;

function printFault(what: string, promotion: Promotion | undefined, figures: Ended, lost: Lost): void {
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const { backAfterMs, longestGapMs, broken, violations, ...counts } = figures;
  printFigures(what, {
    ...(promotion && {
      'seconds without a grant from the promotion on': seconds(backAfterMs),
      'promised seconds': BACK_WITHIN_SECONDS,
      'its standby came after': seconds(promotion.standbyAt! - promotion.at),
    }),
    'in all': seconds(longestGapMs),
    ...counts,
    'lost keys': lost.created,
    'lost revocations': lost.revoked,
    broken: broken.length,
    violations: violations.length,
  });
}
