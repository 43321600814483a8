import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OwnPostgres } from '../faults/own-postgres.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { startPlatformLogin, type PlatformLogin } from '../support/platform/platform-login.js';
import { type PgBouncer, startPgBouncer } from '../support/stores/pgbouncer.mjs';
import { Pair } from './load/pair.js';
import { POOL_FAULTS, SESSIONS } from './pool-faults.js';

/** The numbers to reach before a fault, and again after it. */
const GRANTS = 200;
const CHANGES = 30;

let login: PlatformLogin;
beforeAll(async () => {
  login = await startPlatformLogin();
});
afterAll(() => login.stop());

describe.each([SESSIONS, 2])('two instances behind PgBouncer in transaction mode with %i sessions', (sessions) => {
  let postgres: OwnPostgres;
  let pool: PgBouncer;
  let pair: Pair;
  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    pool = await startPgBouncer(postgres.url, { default_pool_size: String(sessions) });
    const env = { DATABASE_URL: pool.instead(postgres.url), DATABASE_POOLING: 'transaction' };
    pair = await Pair.start('PgBouncer', login, env);
  });
  afterAll(async () => {
    await pair?.stop();
    await pool?.remove();
    await postgres?.remove();
  });

  /** A pool that is too small is a fault by itself. */
  const faults = sessions === SESSIONS ? POOL_FAULTS : [{ name: 'nothing goes wrong', happen: async () => {} }];
  test.each(faults)('lose and contradict no answer while $name', async ({ name, happen }) => {
    const traffic = pair.begin();
    const more = () => {
      const [granted, changes] = [traffic.granted + GRANTS, traffic.changes + CHANGES];
      return eventually(async () => traffic.granted > granted && traffic.changes > changes);
    };
    await more();
    await happen({ postgres, pool });
    const overAt = performance.now();
    await more();
    const { broken, violations, backAfterMs, longestGapMs, interruptions, ...counts } = await traffic.end(overAt);
    const lost = await traffic.ledger.lostIn(postgres.url);
    printFigures(`${name}, ${sessions} sessions`, {
      'seconds until grants again': (backAfterMs / 1000).toFixed(1),
      'longest gap': (longestGapMs / 1000).toFixed(1),
      ...counts,
      'lost keys': lost.created,
      'lost revocations': lost.revoked,
      interruptions: interruptions || 'none',
      broken: broken.length,
      violations: violations.length,
    });
    const { staleGrants, wronglyRefused } = counts;
    const wrong = { ...lost, staleGrants, wronglyRefused, broken, violations };
    const nothing = { created: 0, revoked: 0, staleGrants: 0, wronglyRefused: 0, broken: [], violations: [] };
    expect(wrong).toEqual(nothing);
  });
});
