import { credentials, makeClientConstructor, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { service as healthService } from 'grpc-health-check';
import { eventually } from '../support/eventually.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { expectWithinMs, shortOrLong, printFigures } from '../support/jest/long-form.js';
import type { Person } from '../support/callers/person.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { inTurn, outcomeOf, type Outcome } from './measure.js';
import { OwnPostgres } from './own-postgres.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const ASKED = shortOrLong(3, 9);
/** The promised times, which the long form checks. The first is DATABASE_PATIENCE_MS and 30 ms. */
const OUTAGE_TOLD_MS = 150;
const BACK_WITHIN_MS = 2000;

describe('when PostgreSQL', () => {
  let postgres: OwnPostgres;
  let service: Service;
  /** As in production, where late statements time out. Only a PostgreSQL that hangs makes a difference. */
  let impatient: Service;
  let person: Person;
  let fullKey: string;
  let keyId: string;
  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    service = await startService({ ...UNLIMITED, DATABASE_URL: postgres.url });
    impatient = await startService({ ...UNLIMITED, DATABASE_URL: postgres.url, DATABASE_PATIENCE_MS: '120' });
    person = await service.person().signIn();
    const created = await person.newKey();
    [fullKey, keyId] = [created.fullKey, created.apiKey.id];
  });
  afterAll(async () => {
    await impatient.stop();
    await service.stop();
    await postgres.remove();
  });
  afterEach(async () => {
    // A test that failed half-way must not make the others fail.
    await postgres.startAgain();
    await backIn();
  });

  const CREDENTIALS: Record<string, () => string> = {
    'a good key': () => fullKey,
    'a wrong secret': () => withWrongSecret(fullKey),
    'an unknown key': () => unknownKey(),
    'a malformed key': () => 'lk_nonsense',
  };
  const ask = (apiKey: string, { clients } = service) => outcomeOf(clients.validate(apiKey));

  async function expectUnavailable(fault: string, asked = service): Promise<void> {
    const medians: number[] = [];
    for (const [name, credential] of Object.entries(CREDENTIALS)) {
      const { outcomes, medianMs } = await inTurn(ASKED, () => ask(credential(), asked));
      expect({ name, outcomes }).toEqual({ name, outcomes: new Array(ASKED).fill(status.UNAVAILABLE) });
      expectWithinMs(medianMs, OUTAGE_TOLD_MS);
      medians.push(medianMs);
    }
    const questions = medians.length * ASKED;
    printFigures(`PostgreSQL ${fault}`, {
      questions,
      'wrong answers': 0,
      'told in ms': Math.max(...medians).toFixed(1),
    });
  }
  /** Waits until good keys are granted and others refused again. */
  async function backIn(asked = service): Promise<number> {
    const all = async () =>
      (await ask(fullKey, asked)) === 'grant' &&
      (await ask('lk_nonsense', asked)) === 'denial' &&
      (await ask(withWrongSecret(fullKey), asked)) === 'denial';
    const beganAt = performance.now();
    await eventually(all);
    return Math.round(performance.now() - beganAt);
  }
  async function expectService(asked = service): Promise<number> {
    const backMs = await backIn(asked);
    expectWithinMs(backMs, BACK_WITHIN_MS);
    return backMs;
  }
  const readyz = () => service.person().call('GET', '/readyz');
  async function health(): Promise<string> {
    const client = new (makeClientConstructor(healthService, 'Health'))(
      service.grpcTarget,
      credentials.createInsecure(),
    );
    try {
      return (await answer<{ status: string }>((done) => client['check']!({ service: '' }, done))).status;
    } finally {
      client.close();
    }
  }

  test('is stopped, every validation is UNAVAILABLE; service resumes by itself', async () => {
    await postgres.stop();
    await expectUnavailable('stopped');
    await postgres.startAgain();
    printFigures('PostgreSQL back after a stop', { ms: await expectService() });
  });

  test('hangs, every validation is UNAVAILABLE; service resumes by itself', async () => {
    postgres.pause();
    try {
      await expectUnavailable('paused', impatient);
      const crowd = await inTurn(3, () => Promise.all(Array.from({ length: 500 }, () => ask(fullKey, impatient))));
      expect(new Set(crowd.outcomes.flat())).toEqual(new Set([status.UNAVAILABLE]));
    } finally {
      postgres.resume();
    }
    printFigures('PostgreSQL back after a pause', { ms: await expectService(impatient) });
  });

  test('hangs again and again, however long, no connection is lost to a question that had given up', async () => {
    for (let round = 1; round <= 6; round += 1) {
      postgres.pause();
      try {
        const { outcomes } = await inTurn(round + 1, () =>
          Promise.all([ask(fullKey, impatient), ask('lk_nonsense', impatient)]),
        );
        expect(new Set(outcomes.flat())).toEqual(new Set([status.UNAVAILABLE]));
      } finally {
        postgres.resume();
      }
      await expectService(impatient);
    }
  });

  test('is away, the stream says so question by question and goes on when it is back', async () => {
    const call = service.clients.apiKeys.validateKeys(bearer('dev-validator-token'));
    const next = () =>
      new Promise<string | number>((resolve, reject) => {
        call.once('data', ({ grant, failure }) => resolve(grant ? 'grant' : (failure?.code ?? 'denial')));
        call.once('error', reject);
        call.write({ apiKey: fullKey, operation: 'OPERATION_READ' });
      });
    expect(await next()).toBe('grant');
    await postgres.stop();
    expect(await next()).toBe(status.UNAVAILABLE);
    await postgres.startAgain();
    await eventually(async () => (await next()) === 'grant');
    call.end();
  });

  test('is away, management calls answer 503 with a problem, and health and readiness say so until it is back', async () => {
    await eventually(async () => (await health()) === 'SERVING');
    await postgres.stop();
    const calls = [
      await person.call('GET', '/v1/session'),
      await person.call('GET', '/v1/api-keys'),
      await person.call('GET', '/v1/audit-events'),
      await person.create(),
      await person.revoke(keyId),
      await service.person().call('POST', '/v1/session', { email: 'demo@latchkey.dev', password: 'x' }),
    ];
    for (const { status: code, headers, body } of calls) {
      expect(code).toBe(503);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toMatchObject({ status: 503, code: 'unavailable' });
      expect(JSON.stringify(body)).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres/i);
    }
    await expect(service.clients.account('GetAccount', 'demo')).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect((await readyz()).status).toBe(503);
    await eventually(async () => (await health()) === 'NOT_SERVING');
    expect((await service.person().call('GET', '/livez')).status).toBe(200);
    await postgres.startAgain();
    await eventually(async () => (await health()) === 'SERVING');
    await eventually(async () => (await readyz()).status === 200);
    await eventually(async () => (await person.list()).items?.length === 1);
  });

  test('cuts every connection, answers are at worst briefly UNAVAILABLE and never wrong', async () => {
    const told: Outcome[] = [];
    let slowestMs = 0;
    for (let round = 0; round < 5; round += 1) {
      const asking = Promise.all(Array.from({ length: 200 }, () => ask(fullKey)));
      await sql(
        postgres.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'latchkey%'`,
      );
      told.push(...(await asking));
      slowestMs = Math.max(slowestMs, await expectService());
    }
    const unavailable = told.filter((outcome) => outcome === status.UNAVAILABLE).length;
    const figures = { asked: told.length, granted: told.length - unavailable, unavailable, 'back in ms': slowestMs };
    printFigures('PostgreSQL cuts every connection', figures);
    for (const outcome of told) expect(['grant', status.UNAVAILABLE]).toContain(outcome);
  });

  test('takes no writes, good keys are granted and what cannot be recorded is UNAVAILABLE', async () => {
    const readOnly = async (on: boolean) => {
      await sql(postgres.url, `ALTER SYSTEM SET default_transaction_read_only = ${on ? 'on' : 'off'}`);
      await sql(postgres.url, 'SELECT pg_reload_conf()');
    };
    await readOnly(true);
    try {
      await eventually(async () => (await ask('lk_nonsense')) === status.UNAVAILABLE);
      const good = await inTurn(20, () => ask(fullKey));
      expect(good.outcomes).toEqual(new Array(20).fill('grant'));
      for (const credential of [withWrongSecret(fullKey), unknownKey(), 'lk_nonsense', '']) {
        expect(await ask(credential)).toBe(status.UNAVAILABLE);
      }
      expect((await person.create()).status).toBe(503);
      expect((await person.revoke(keyId)).status).toBe(503);
    } finally {
      await readOnly(false);
    }
    await expectService();
    expect((await person.list()).items.map(({ status: state }) => state)).toEqual(['active']);
  });

  test('comes back as a standby, nothing is answered from it until it is promoted', async () => {
    await postgres.stop();
    postgres.becomeStandby();
    await postgres.startAgain();
    await eventually(() => sql(postgres.url, 'SELECT pg_is_in_recovery()').catch(() => undefined));
    expect(await sql(postgres.url, 'SELECT pg_is_in_recovery() AS standby')).toEqual([{ standby: true }]);
    await expectUnavailable('a standby');
    expect((await person.call('GET', '/v1/api-keys')).status).toBe(503);
    await expect(startService({ DATABASE_URL: postgres.url })).rejects.toThrow(/^DATABASE_URL: [^\n]*recovery[^\n]*$/);
    await sql(postgres.url, 'SELECT pg_promote()');
    await expectService();
  });
});
