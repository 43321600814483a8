import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findViolation } from '../support/history/linearizability.js';
import { type OwnerLife, playLives, Tally } from '../support/history/owner-life.js';
import type { Instance } from '../support/history/owner-calls.js';
import { startPlatformLogin, type PlatformLogin } from '../support/platform/platform-login.js';
import { ValidationStream } from '../support/callers/validation-stream.js';
import { startService } from '../support/processes/service.js';
import * as grounds from './history-grounds.js';

const LONG = process.env['LATCHKEY_LONG'] === '1';
const PRINTS_FIGURES = LONG || process.env['LATCHKEY_FIGURES'] === '1';
const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
/** If the service does not come back, its callers must stop at this time. */
const TIMEOUT_MS = 600_000;
const OWNERS_AT_ONCE = 4;

interface Scenario {
  readonly name: string;
  readonly ground: () => Promise<grounds.Ground>;
  /** The number of answers between two faults. */
  readonly faultEvery: number;
  /** The number of answers in a short run; undefined for faults of the long run only. */
  readonly shortAnswers?: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing goes wrong', ground: grounds.calm, faultEvery: Infinity },
  { name: 'connections to PostgreSQL are cut', ground: grounds.connectionsCut, faultEvery: 40, shortAnswers: 400 },
  { name: 'PostgreSQL is killed and restarted', ground: grounds.postgresKilled, faultEvery: 250 },
  { name: 'PostgreSQL hangs for 300 ms at a time', ground: grounds.postgresPaused, faultEvery: 250 },
  { name: 'Redis is killed and restarted', ground: grounds.redisKilled, faultEvery: 250 },
  { name: 'Redis hangs for 300 ms at a time', ground: grounds.redisPaused, faultEvery: 250 },
];
const LONG_ANSWERS = 10_000;
const inThisRun = SCENARIOS.flatMap((scenario) => {
  const answers = LONG ? LONG_ANSWERS : scenario.shortAnswers;
  return answers === undefined ? [] : [{ ...scenario, answers }];
});

let login: PlatformLogin;
beforeAll(async () => {
  login = await startPlatformLogin();
});
afterAll(() => login.stop());

test.each(inThisRun)(
  'two instances give only answers that a single one could have given, while $name',
  async ({ name, ground, faultEvery, answers }) => {
    const place = await ground();
    const env = {
      ...UNLIMITED,
      ...login.env,
      PASSWORD_SIGN_IN: 'on',
      ...place.env,
    };
    const services = [await startService(env), await startService(env)];
    const instances = services.map((service) => ({ service, stream: new ValidationStream(service.clients) }));
    const tally = new Tally();
    try {
      const startedAt = performance.now();
      const [lives, faults] = await liveThrough(instances, tally, { place, faultEvery, answers });
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const violations = lives.flatMap(({ history }) => findViolation(history) ?? []);
      if (PRINTS_FIGURES) {
        const { answered, granted, rotated, unavailable } = tally;
        const counts = { answered, granted, rotated, firstUses: tally.firstUsed.size, unavailable };
        printHistory({ name, ...counts, broken: tally.broken.length, faults, violations: violations.length, seconds });
      }
      expect(violations.map((violation) => JSON.stringify(violation))).toEqual([]);
      expect(tally.broken).toEqual([]);
      expect(tally.answered).toBeGreaterThanOrEqual(answers);
      // What owners do is drawn by lot.
      expect([tally.granted > 0, tally.rotated > 0, tally.firstUsed.size > 0]).toEqual([true, true, true]);
      if (place.fault) expect(faults).toBeGreaterThan(0);
    } finally {
      for (const { stream } of instances) stream.close();
      for (const service of services) await service.stop();
      await place.leave();
    }
  },
  TIMEOUT_MS + 60_000,
);

/** Plays owners' lives while faults happen. @returns the lives, and the number of faults */
async function liveThrough(
  instances: readonly Instance[],
  tally: Tally,
  { place, faultEvery, answers }: { place: grounds.Ground; faultEvery: number; answers: number },
): Promise<[OwnerLife[], number]> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let faults = 0;
  const disturb = async () => {
    for (let next = faultEvery; place.fault && !signal.aborted; next = tally.answered + faultEvery) {
      while (!signal.aborted && tally.answered < next) await pause(5);
      if (signal.aborted) return;
      await place.fault();
      faults += 1;
    }
  };
  const living = playLives(instances, login, tally, { ownersAtOnce: OWNERS_AT_ONCE, answers, signal });
  // A fault that does not end ends the lives, too.
  const disturbing = disturb().catch((error: unknown) => {
    over.abort();
    throw error;
  });
  const [lives] = await Promise.all([living.finally(() => over.abort()), disturbing]);
  return [lives, faults];
}

function printHistory(figures: Record<string, string | number>): void {
  const words = Object.entries(figures).map(([what, figure]) => `${what} ${figure}`);
  process.stderr.write(`history: ${words.join(', ')}\n`);
}
