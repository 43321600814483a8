import { status } from '@grpc/grpc-js';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { expectWithinMs, shortOrLong, printFigures } from '../support/jest/long-form.js';
import type { Person } from '../support/callers/person.js';
import { startService, type Service } from '../support/processes/service.js';
import { SlowLine } from '../support/stores/slow-line.js';
import { sql } from '../support/stores/sql.js';
import { inTurn, outcomeOf, type Outcome } from './measure.js';
import { OwnPostgres } from './own-postgres.js';
import { SmallDisk } from './small-disk.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
/** The promised times, which the long form checks. The first is DATABASE_PATIENCE_MS and 30 ms. */
const OUTAGE_TOLD_MS = 150;
const BACK_WITHIN_MS = 2000;
const KILLS = shortOrLong(1, 20);

describe('when PostgreSQL', () => {
  let postgres: OwnPostgres;
  let line: SlowLine;
  let disk: SmallDisk;
  let service: Service;
  /** As in production, where late statements time out. Only a slow PostgreSQL makes a difference. */
  let impatient: Service;
  let person: Person;
  let fullKey: string;
  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    line = await SlowLine.to(postgres.url);
    const env = { ...UNLIMITED, DATABASE_URL: line.instead(postgres.url) };
    service = await startService(env);
    impatient = await startService({ ...env, DATABASE_PATIENCE_MS: '120' });
    person = await service.person().signIn();
    fullKey = (await person.newKey()).fullKey;
  });
  afterEach(async () => {
    line.delayMs = 0;
    await postgres.startAgain();
    await backIn();
  });
  afterAll(async () => {
    await impatient.stop();
    await service.stop();
    line.close();
    await postgres.remove();
    disk?.remove();
  });

  const ask = (apiKey: string, { clients } = service) => outcomeOf(clients.validate(apiKey));
  const askAll = (asked = service) =>
    Promise.all([fullKey, withWrongSecret(fullKey), unknownKey(), 'lk_nonsense'].map((apiKey) => ask(apiKey, asked)));
  const unavailable = new Array<Outcome>(4).fill(status.UNAVAILABLE);
  const asEver: Outcome[] = ['grant', 'denial', 'denial', 'denial'];

  async function backIn(asked = service): Promise<number> {
    const beganAt = performance.now();
    await eventually(async () => isDeepStrictEqual(await askAll(asked), asEver));
    return Math.round(performance.now() - beganAt);
  }
  async function expectService(asked = service): Promise<number> {
    const backMs = await backIn(asked);
    expectWithinMs(backMs, BACK_WITHIN_MS);
    return backMs;
  }
  /** Failed authentications on the audit trail. */
  async function recorded(): Promise<number> {
    const text = `SELECT sum(count)::int AS failures FROM audit_events WHERE type = 'authentication.failed'`;
    return (await sql<{ failures: number }>(postgres.url, text))[0]!.failures;
  }
  /** A good key gets a grant or UNAVAILABLE, a bad one a denial or UNAVAILABLE. */
  function expectNoneWrong(told: Outcome[][]): void {
    for (const outcomes of told) {
      outcomes.forEach((outcome, n) => expect([asEver[n], status.UNAVAILABLE]).toContain(outcome));
    }
  }

  test('is killed under load, no answer is wrong, each outage is told and service resumes', async () => {
    let [asked, slowestBackMs, toldMs] = [0, 0, 0];
    for (let kill = 0; kill < KILLS; kill += 1) {
      let isOver = false;
      const told: Outcome[][] = [];
      const load = times(8, async () => {
        while (!isOver) told.push(await askAll());
      });
      await eventually(async () => told.length > 20);
      await postgres.kill();
      const { outcomes, medianMs } = await inTurn(15, () => askAll());
      expect(outcomes).toEqual(times(15, () => unavailable));
      toldMs = Math.max(toldMs, medianMs);
      await postgres.startAgain();
      slowestBackMs = Math.max(slowestBackMs, await expectService());
      isOver = true;
      await Promise.all(load);
      expectNoneWrong(told);
      asked += 4 * told.length;
    }
    const figures = { kills: KILLS, asked, 'wrong answers': 0, 'told ms': toldMs.toFixed(1), 'back ms': slowestBackMs };
    printFigures('PostgreSQL killed', figures);
    expectWithinMs(toldMs, OUTAGE_TOLD_MS);
  });

  test('is a little slow, verdicts are as ever; too slow, each is UNAVAILABLE; service resumes', async () => {
    line.delayMs = 10;
    await backIn();
    const slow = await inTurn(10, () => askAll());
    expect(slow.outcomes).toEqual(times(10, () => asEver));
    await backIn(impatient);
    // More than DATABASE_PATIENCE_MS, on any machine.
    line.delayMs = 500;
    // Statements that were sent before the change may still be answered.
    const told: Outcome[][] = [];
    await eventually(async () => isDeepStrictEqual(told[told.push(await askAll(impatient)) - 1], unavailable));
    const { outcomes, medianMs } = await inTurn(shortOrLong(5, 100), () => askAll(impatient));
    expectNoneWrong(told);
    expect(outcomes.flat().filter((outcome) => outcome !== status.UNAVAILABLE)).toEqual([]);
    expectWithinMs(medianMs, OUTAGE_TOLD_MS);
    line.delayMs = 0;
    const backMs = await expectService(impatient);
    const figures = { 'ms at 20 ms a round trip': slow.medianMs.toFixed(1), 'told ms at 1 s': medianMs.toFixed(1) };
    printFigures('PostgreSQL slow', { ...figures, 'back ms': backMs });
  });

  test('has a full disk, good keys are granted, what cannot be recorded is UNAVAILABLE, and it resumes', async () => {
    disk = await SmallDisk.under(postgres.url);
    await backIn();
    const recordedBefore = await recorded();
    await disk.fill();
    const told: Outcome[][] = [];
    // Pages that were already begun are filled first.
    const isFull = async () => (told[told.push(await askAll()) - 1]!.slice(1) as unknown[]).every(Number);
    while (!(await isFull())) expect(told.length).toBeLessThan(5000);
    const good = await inTurn(50, () => ask(fullKey));
    expectNoneWrong(told);
    expect(told.map(([granted]) => granted)).toEqual(new Array(told.length).fill('grant'));
    expect(good.outcomes).toEqual(new Array(50).fill('grant'));
    // Where three events do not fit together, one may still fit; and PostgreSQL reuses the space of rolled-back rows.
    const bad = await inTurn(50, () => ask(unknownKey()));
    const untold = bad.outcomes.filter((outcome) => outcome === status.UNAVAILABLE);
    const denials = [...told.flat(), ...bad.outcomes].filter((outcome) => outcome === 'denial');
    expect(bad.outcomes).not.toContain('grant');
    expect(untold.length).toBeGreaterThan(25);
    expect((await recorded()) - recordedBefore).toBeGreaterThanOrEqual(denials.length);
    expectWithinMs(bad.medianMs, OUTAGE_TOLD_MS);
    const created = await person.create();
    expect(created).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    await disk.makeRoom();
    const backMs = await expectService();
    expect((await person.list()).activeKeys).toBe(1);
    printFigures('PostgreSQL disk full', {
      'grants meanwhile': 50,
      'told ms': bad.medianMs.toFixed(1),
      'back ms': backMs,
    });
  });
});
