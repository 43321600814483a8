import { status } from '@grpc/grpc-js';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { shortOrLong, printFigures } from '../support/jest/long-form.js';
import type { Person } from '../support/callers/person.js';
import { startService, type Service } from '../support/processes/service.js';
import { SlowLine } from '../support/stores/slow-line.js';
import { sql } from '../support/stores/sql.js';
import { inTurn, outcomeOf, type Outcome } from './measure.js';
import { OwnPostgres } from './own-postgres.js';
import { SmallDisk } from './small-disk.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
/** The promised times, which the long form prints next to what it measured. UNAVAILABLE: DATABASE_PATIENCE_MS and 30 ms. */
const PROMISED = { 'promised for UNAVAILABLE ms': 150, 'promised for back ms': 2000 };
const KILLS = shortOrLong(1, 20);

describe('the service while PostgreSQL has trouble', () => {
  let postgres: OwnPostgres;
  let line: SlowLine;
  let disk: SmallDisk;
  let service: Service;
  /** As in production, where late statements time out. Only a slow PostgreSQL makes a difference. */
  let shortTimeout: Service;
  let person: Person;
  let fullKey: string;
  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    line = await SlowLine.to(postgres.url);
    const env = { ...UNLIMITED, DATABASE_URL: line.instead(postgres.url) };
    service = await startService(env);
    shortTimeout = await startService({ ...env, DATABASE_PATIENCE_MS: '120' });
    person = await service.person().signIn();
    fullKey = (await person.newKey()).fullKey;
  });
  afterEach(async () => {
    line.delayMs = 0;
    await postgres.startAgain();
    await backIn();
  });
  afterAll(async () => {
    await shortTimeout.stop();
    await service.stop();
    line.close();
    await postgres.remove();
    disk?.remove();
  });

  const validate = (apiKey: string, { clients } = service) => outcomeOf(clients.validate(apiKey));
  const validateAll = (instance = service) =>
    Promise.all(
      [fullKey, withWrongSecret(fullKey), unknownKey(), 'lk_nonsense'].map((apiKey) => validate(apiKey, instance)),
    );
  const unavailable = new Array<Outcome>(4).fill(status.UNAVAILABLE);
  const usual: Outcome[] = ['grant', 'denial', 'denial', 'denial'];

  async function backIn(instance = service): Promise<number> {
    const beganAt = performance.now();
    await eventually(async () => isDeepStrictEqual(await validateAll(instance), usual));
    return Math.round(performance.now() - beganAt);
  }
  /** Failed authentications on the audit trail. */
  async function recorded(): Promise<number> {
    const text = `SELECT sum(count)::int AS failures FROM audit_events WHERE type = 'authentication.failed'`;
    return (await sql<{ failures: number }>(postgres.url, text))[0]!.failures;
  }
  /** A good key gets a grant or UNAVAILABLE, a bad one a denial or UNAVAILABLE. */
  function expectNoneWrong(answers: Outcome[][]): void {
    for (const outcomes of answers) {
      outcomes.forEach((outcome, n) => expect([usual[n], status.UNAVAILABLE]).toContain(outcome));
    }
  }

  test('gives no wrong answer when PostgreSQL is killed under load, only UNAVAILABLE, and resumes', async () => {
    let [calls, slowestBackMs, slowestMs] = [0, 0, 0];
    for (let kill = 0; kill < KILLS; kill += 1) {
      let isOver = false;
      const answers: Outcome[][] = [];
      const load = times(8, async () => {
        while (!isOver) answers.push(await validateAll());
      });
      await eventually(async () => answers.length > 20);
      await postgres.kill();
      const { outcomes, medianMs } = await inTurn(15, () => validateAll());
      expect(outcomes).toEqual(times(15, () => unavailable));
      slowestMs = Math.max(slowestMs, medianMs);
      await postgres.startAgain();
      slowestBackMs = Math.max(slowestBackMs, await backIn());
      isOver = true;
      await Promise.all(load);
      expectNoneWrong(answers);
      calls += 4 * answers.length;
    }
    const figures = {
      kills: KILLS,
      calls,
      'wrong answers': 0,
      'UNAVAILABLE after ms': slowestMs.toFixed(1),
      'back ms': slowestBackMs,
    };
    printFigures('PostgreSQL killed', { ...figures, ...PROMISED });
  });

  test('gives the usual verdicts over a slow line, UNAVAILABLE over one that is too slow, and resumes', async () => {
    line.delayMs = 10;
    await backIn();
    const slow = await inTurn(10, () => validateAll());
    expect(slow.outcomes).toEqual(times(10, () => usual));
    await backIn(shortTimeout);
    // More than DATABASE_PATIENCE_MS, on any machine.
    line.delayMs = 500;
    // Statements that were sent before the change may still be answered.
    const answers: Outcome[][] = [];
    await eventually(async () =>
      isDeepStrictEqual(answers[answers.push(await validateAll(shortTimeout)) - 1], unavailable),
    );
    const { outcomes, medianMs } = await inTurn(shortOrLong(5, 100), () => validateAll(shortTimeout));
    expectNoneWrong(answers);
    expect(outcomes.flat().filter((outcome) => outcome !== status.UNAVAILABLE)).toEqual([]);
    line.delayMs = 0;
    const backMs = await backIn(shortTimeout);
    const figures = {
      'ms at 20 ms a round trip': slow.medianMs.toFixed(1),
      'UNAVAILABLE after ms at 1 s': medianMs.toFixed(1),
    };
    printFigures('PostgreSQL slow', { ...figures, 'back ms': backMs, ...PROMISED });
  });

  test('grants good keys with a full disk, answers UNAVAILABLE where it cannot record a failure, and resumes', async () => {
    disk = await SmallDisk.under(postgres.url);
    await backIn();
    const recordedBefore = await recorded();
    await disk.fill();
    const answers: Outcome[][] = [];
    // Pages that were already begun are filled first.
    const isFull = async () => (answers[answers.push(await validateAll()) - 1]!.slice(1) as unknown[]).every(Number);
    while (!(await isFull())) expect(answers.length).toBeLessThan(5000);
    const good = await inTurn(50, () => validate(fullKey));
    expectNoneWrong(answers);
    expect(answers.map(([granted]) => granted)).toEqual(new Array(answers.length).fill('grant'));
    expect(good.outcomes).toEqual(new Array(50).fill('grant'));
    // Where three events do not fit together, one may still fit; and PostgreSQL reuses the space of rolled-back rows.
    const bad = await inTurn(50, () => validate(unknownKey()));
    const unrecorded = bad.outcomes.filter((outcome) => outcome === status.UNAVAILABLE);
    const denials = [...answers.flat(), ...bad.outcomes].filter((outcome) => outcome === 'denial');
    expect(bad.outcomes).not.toContain('grant');
    expect(unrecorded.length).toBeGreaterThan(25);
    expect((await recorded()) - recordedBefore).toBeGreaterThanOrEqual(denials.length);
    const created = await person.create();
    expect(created).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    await disk.makeRoom();
    const backMs = await backIn();
    expect((await person.list()).activeKeys).toBe(1);
    printFigures('PostgreSQL disk full', {
      'grants while full': 50,
      'UNAVAILABLE after ms': bad.medianMs.toFixed(1),
      'back ms': backMs,
    });
  });
});
