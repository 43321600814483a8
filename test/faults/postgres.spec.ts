import { credentials, makeClientConstructor, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { service as healthService } from 'grpc-health-check';
import { eventually } from '../support/eventually.js';
import { answer, bearer } from '../support/grpc-clients.js';
import { unknownKey, withWrongSecret } from '../support/key-strings.js';
import { tellFigures } from '../support/long-form.js';
import type { Person } from '../support/person.js';
import { startService, type Service } from '../support/service.js';
import { sql } from '../support/sql.js';
import { inTurn, outcomeOf, type Outcome } from './measure.js';
import { OwnPostgres } from './own-postgres.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const ASKED = 9;
/** The promised time. */
const OUTAGE_TOLD_MS = 150;
/** The median may be late by this much on a machine that runs other suites at the same time. */
const NOISE_MS = 60;
const BACK_WITHIN_MS = 2000;

describe('when PostgreSQL', () => {
  let postgres: OwnPostgres;
  let service: Service;
  let person: Person;
  let fullKey: string;
  let keyId: string;
  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    service = await startService({ ...UNLIMITED, DATABASE_URL: postgres.url });
    person = await service.person().signIn();
    const created = await person.newKey();
    [fullKey, keyId] = [created.fullKey, created.apiKey.id];
  });
  afterAll(async () => {
    await service.stop();
    await postgres.remove();
  });
  afterEach(async () => {
    // A test that failed half-way must not make the others fail.
    await postgres.startAgain();
    await expectService(10_000);
  });

  const CREDENTIALS: Record<string, () => string> = {
    'a good key': () => fullKey,
    'a wrong secret': () => withWrongSecret(fullKey),
    'an unknown key': () => unknownKey(),
    'a malformed key': () => 'lk_nonsense',
  };
  const ask = (apiKey: string) => outcomeOf(service.clients.validate(apiKey));

  async function expectUnavailable(fault: string): Promise<void> {
    const medians: number[] = [];
    for (const [name, credential] of Object.entries(CREDENTIALS)) {
      const { outcomes, medianMs } = await inTurn(ASKED, () => ask(credential()));
      expect({ name, outcomes }).toEqual({ name, outcomes: new Array(ASKED).fill(status.UNAVAILABLE) });
      expect(medianMs).toBeLessThan(OUTAGE_TOLD_MS + NOISE_MS);
      medians.push(medianMs);
    }
    const asked = medians.length * ASKED;
    tellFigures(`PostgreSQL ${fault}`, { asked, 'wrong answers': 0, 'told in ms': Math.max(...medians).toFixed(1) });
  }
  /** Waits until good keys are granted and others refused again. */
  async function expectService(withinMs = BACK_WITHIN_MS): Promise<number> {
    const all = async () =>
      (await ask(fullKey)) === 'grant' &&
      (await ask('lk_nonsense')) === 'denial' &&
      (await ask(withWrongSecret(fullKey))) === 'denial';
    const beganAt = performance.now();
    await eventually(all, withinMs);
    return Math.round(performance.now() - beganAt);
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

  test('is stopped, every validation is UNAVAILABLE within 150 ms; service resumes by itself within 2 s', async () => {
    await postgres.stop();
    await expectUnavailable('stopped');
    await postgres.startAgain();
    tellFigures('PostgreSQL back after a stop', { ms: await expectService() });
  });

  test('hangs, every validation is UNAVAILABLE within 150 ms; service resumes by itself within 2 s', async () => {
    postgres.pause();
    try {
      await expectUnavailable('paused');
      const crowd = await inTurn(3, () => Promise.all(Array.from({ length: 500 }, () => ask(fullKey))));
      expect(new Set(crowd.outcomes.flat())).toEqual(new Set([status.UNAVAILABLE]));
    } finally {
      postgres.resume();
    }
    tellFigures('PostgreSQL back after a pause', { ms: await expectService() });
  });

  test('hangs again and again, however long, no connection is lost to a question that had given up', async () => {
    for (let round = 1; round <= 6; round += 1) {
      postgres.pause();
      try {
        const { outcomes } = await inTurn(round + 1, () => Promise.all([ask(fullKey), ask('lk_nonsense')]));
        expect(new Set(outcomes.flat())).toEqual(new Set([status.UNAVAILABLE]));
      } finally {
        postgres.resume();
      }
      await expectService();
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
    await eventually(async () => (await next()) === 'grant', BACK_WITHIN_MS);
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
    tellFigures('PostgreSQL cuts every connection', figures);
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
