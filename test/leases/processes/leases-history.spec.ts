import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Clock } from '#test/faults/clock.js';
import { OwnPostgres } from '#test/faults/own-postgres.js';
import { isLong, printFigures, shortOrLong } from '#test/support/jest/long-form.js';
import { type PlatformLogin, startPlatformLogin } from '#test/support/platform/platform-login.js';
import { buildService } from '#test/support/processes/service-process.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { sql } from '#test/support/stores/sql.js';
import type { Language } from './guard-process.js';
import { freeze, Stand, type StandOptions } from './stand.js';
import { type AccountState, type Change, staleGrants } from './stale-grants.js';

const LEASE_MS = 500;
const INSTANCES = 2;
/** The others are built and started in the long form. */
const GUARDS: readonly Language[] = isLong ? ['node', 'python', 'go', 'java'] : ['node', 'node'];
const LONGEST_MS = 1500;

type Ground = Partial<StandOptions> & {
  readonly databaseUrl: string;
  fault?(stand: Stand): Promise<unknown>;
  leave(): Promise<void>;
};

async function calm(): Promise<Ground> {
  const { url, drop } = await createDatabase();
  return { databaseUrl: url, leave: drop };
}

const withFault =
  (fault: (stand: Stand) => Promise<unknown>, more: Partial<StandOptions> = {}) =>
  async () => ({
    ...(await calm()),
    ...more,
    fault,
  });

const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'latchkey%' AND random() < 0.5`;

async function connectionsCut(): Promise<Ground> {
  const ground = await calm();
  return { ...ground, fault: () => sql(ground.databaseUrl, CUT) };
}

async function postgresPaused(): Promise<Ground> {
  const postgres = await OwnPostgres.start();
  const fault = async () => {
    postgres.pause();
    await pause(randomInt(LONGEST_MS));
    postgres.resume();
  };
  return { databaseUrl: postgres.url, fault, leave: () => postgres.remove() };
}

async function standbyPromoted(): Promise<Ground> {
  const old = await OwnPostgres.start();
  const standby = await old.startStandby('standby');
  let isPromoted = false;
  const fault = async () => {
    if (isPromoted) return;
    isPromoted = true;
    await old.kill();
    await standby.promote();
    await sql(standby.url, `ALTER SYSTEM SET synchronous_standby_names = ''`);
    await sql(standby.url, 'SELECT pg_reload_conf()');
  };
  const databaseUrl = old.url.replace(/\/latchkey$/, `,${new URL(standby.url).host}/latchkey`);
  const leave = async () => {
    await standby.remove();
    await old.remove();
  };
  return { databaseUrl, fault, leave };
}

/** Reading the file at each look at the clock would make that look many times slower. */
const READ_EACH_SECOND = { FAKETIME_NO_CACHE: '0', FAKETIME_CACHE_DURATION: '1' };

/** A Go program asks the kernel for the time by itself, and under the library a JVM waits far too long. */
async function clocksMoved(): Promise<Ground> {
  const clocks = Array.from({ length: INSTANCES + GUARDS.length }, () => new Clock());
  const fault = async () => clocks[randomInt(clocks.length)]!.set(randomInt(20) - 10);
  const env = (index: number) =>
    GUARDS[index - INSTANCES] === 'java' ? {} : { ...clocks[index]!.env, ...READ_EACH_SECOND };
  return { ...(await calm()), env, fault };
}

const SCENARIOS: Record<string, { ground: () => Promise<Ground>; isShort?: true }> = {
  'nothing goes wrong': { ground: calm },
  'connections to PostgreSQL are cut': { ground: connectionsCut, isShort: true },
  'a guard is frozen': {
    ground: withFault((stand) => freeze((name) => stand.anyGuard().signal(name), LONGEST_MS)),
    isShort: true,
  },
  'a service is frozen': {
    ground: withFault((stand) => {
      const { process } = stand.anyInstance();
      return freeze((name) => process!.child.kill(name), LONGEST_MS);
    }),
  },
  'PostgreSQL is frozen': { ground: postgresPaused },
  'a guard is killed': { ground: withFault((stand) => stand.anyGuard().killAndStartAgain()) },
  'a service is killed': {
    ground: withFault(async (stand) => {
      const instance = stand.anyInstance();
      await instance.end('SIGKILL');
      await instance.start();
    }),
  },
  'services are restarted one after the other': {
    ground: withFault(async (stand) => {
      for (const instance of stand.instances) {
        await instance.end('SIGTERM');
        await instance.start();
      }
    }),
  },
  'wall clocks are moved': { ground: clocksMoved },
  'services have different LEASE_MS': {
    ground: withFault(async () => undefined, { leaseMs: [2000, 300, 0] }),
  },
  'a standby is promoted': { ground: standbyPromoted },
};
const inThisRun = Object.entries(SCENARIOS).filter(([, { isShort }]) => isLong || isShort);

let login: PlatformLogin;
beforeAll(async () => {
  await buildService();
  login = await startPlatformLogin();
});
afterAll(() => login.stop());

test.each(inThisRun)(
  'no request that starts after a change was answered is granted against it, while %s',
  async (name, { ground }) => {
    const { fault, leave, ...options } = await ground();
    const leaseMs = Array.from({ length: INSTANCES }, () => LEASE_MS);
    const stand = await Stand.start({ login, leaseMs, guards: GUARDS, owners: 3, paceMs: 400, ...options });
    try {
      stand.begin();
      const changes = shortOrLong(6, 20);
      for (let round = 0; round < shortOrLong(2, 10); round += 1) {
        await stand.more(changes);
        await fault?.(stand);
      }
      await stand.more(changes);
      const { stale, broken, ...figures } = await stand.end();
      printFigures(`leases, ${name}`, { ...figures, stale: stale.length });
      expect([stale.slice(0, 3), broken]).toEqual([[], []]);
      // Each language takes part, except one whose service gives no leases. In the short form both guards are the same
      // program, and one may be frozen throughout.
      const withoutLeases = options.leaseMs?.filter((ms) => ms === 0).length ?? 0;
      const ofEach = figures['grants under leases, of each guard'].split(',');
      const idle = ofEach.filter((grants) => grants === '0').length;
      expect(idle).toBeLessThanOrEqual(isLong ? withoutLeases : GUARDS.length - 1);
      expect(figures.fromLeases).toBeGreaterThan(shortOrLong(0, figures.grants / 2));
    } finally {
      await stand.stop();
      await leave();
    }
  },
  600_000,
);

const BEFORE: AccountState = { version: '1', isActive: true, permissions: ['a:read'], keys: ['k1', 'k2'] };
const GRANT = { status: 200, isFromLease: true, permission: '', keyId: 'k1', granted: ['a:read'], version: '1' };
const born: Change = { what: 'born', invokedAt: 0, answeredAt: 1, after: BEFORE };
const change = (after: Partial<AccountState>): Change[] => [
  born,
  { what: 'changed', invokedAt: 10, answeredAt: 20, after: { ...BEFORE, ...after } },
];
const wrong = (changes: readonly Change[], startedAt: number, endedAt: number, grant: object = {}) =>
  staleGrants(changes, [], [{ ...GRANT, startedAt, endedAt, ...grant }]).length;

test.each<[string, Partial<AccountState>]>([
  ['a revoked key', { keys: ['k2'] }],
  ['a suspended account', { isActive: false }],
  ['other permissions', { permissions: ['b:read'] }],
  ['other attributes', { version: '2' }],
])('a grant of %s is stale if its request started after the answer', (_what, after) => {
  expect(wrong(change(after), 21, 22)).toBe(1);
  expect([wrong(change(after), 19, 22), wrong(change(after), 2, 3)]).toEqual([0, 0]);
});

test('a grant is wrong that no state had yet, or whose permission is not among them', () => {
  expect(wrong(change({ version: '2' }), 5, 6, { version: '2' })).toBe(1);
  expect(wrong(change({ version: '2' }), 5, 11, { version: '2' })).toBe(0);
  expect(wrong([born], 5, 6, { permission: 'b:read' })).toBe(1);
});

test('an old key is stale once its successor was used', () => {
  const grants = [
    { ...GRANT, keyId: 'k2', startedAt: 30, endedAt: 40 },
    { ...GRANT, startedAt: 39, endedAt: 50 },
    { ...GRANT, startedAt: 41, endedAt: 50 },
  ];
  const stale = staleGrants([born], [{ oldId: 'k1', successorId: 'k2' }], grants);
  expect(stale.map(({ grant }) => grant.startedAt)).toEqual([41]);
});
