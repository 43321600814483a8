import { credentials, makeClientConstructor, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { service as healthService } from 'grpc-health-check';
import { eventually } from '../support/eventually.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { shortOrLong, printFigures } from '../support/jest/long-form.js';
import type { Person } from '../support/callers/person.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { inTurn, outcomeOf, type Outcome } from './measure.js';
import { OwnPostgres } from './own-postgres.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const CALLS = shortOrLong(3, 9);
/** The promised times, which the long form prints next to what it measured. UNAVAILABLE: DATABASE_PATIENCE_MS and 30 ms. */
const PROMISED = { 'promised for UNAVAILABLE ms': 150, 'promised for back ms': 2000 };

describe('the service without a working PostgreSQL', () => {
  let postgres: OwnPostgres;
  let service: Service;
  /** As in production, where late statements time out. Only a PostgreSQL that hangs makes a difference. */
  let shortTimeout: Service;
  let person: Person;
  let fullKey: string;
  let keyId: string;
  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    service = await startService({ ...UNLIMITED, DATABASE_URL: postgres.url });
    shortTimeout = await startService({ ...UNLIMITED, DATABASE_URL: postgres.url, DATABASE_PATIENCE_MS: '120' });
    person = await service.person().signIn();
    const created = await person.newKey();
    [fullKey, keyId] = [created.fullKey, created.apiKey.id];
  });
  afterAll(async () => {
    await shortTimeout.stop();
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
  const validate = (apiKey: string, { clients } = service) => outcomeOf(clients.validate(apiKey));

  async function expectUnavailable(fault: string, instance = service): Promise<void> {
    const medians: number[] = [];
    for (const [name, credential] of Object.entries(CREDENTIALS)) {
      const { outcomes, medianMs } = await inTurn(CALLS, () => validate(credential(), instance));
      expect({ name, outcomes }).toEqual({ name, outcomes: new Array(CALLS).fill(status.UNAVAILABLE) });
      medians.push(medianMs);
    }
    const calls = medians.length * CALLS;
    printFigures(`PostgreSQL ${fault}`, {
      calls,
      'wrong answers': 0,
      'UNAVAILABLE after ms': Math.max(...medians).toFixed(1),
      ...PROMISED,
    });
  }
  /** Waits until good keys are granted and others refused again. */
  async function backIn(instance = service): Promise<number> {
    const all = async () =>
      (await validate(fullKey, instance)) === 'grant' &&
      (await validate('lk_nonsense', instance)) === 'denial' &&
      (await validate(withWrongSecret(fullKey), instance)) === 'denial';
    const beganAt = performance.now();
    await eventually(all);
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

  test('answers every validation UNAVAILABLE while PostgreSQL is stopped, and resumes', async () => {
    await postgres.stop();
    await expectUnavailable('stopped');
    await postgres.startAgain();
    printFigures('PostgreSQL back after a stop', { ms: await backIn() });
  });

  test('answers every validation UNAVAILABLE while PostgreSQL hangs, and resumes', async () => {
    postgres.pause();
    try {
      await expectUnavailable('paused', shortTimeout);
      const crowd = await inTurn(3, () =>
        Promise.all(Array.from({ length: 500 }, () => validate(fullKey, shortTimeout))),
      );
      expect(new Set(crowd.outcomes.flat())).toEqual(new Set([status.UNAVAILABLE]));
    } finally {
      postgres.resume();
    }
    printFigures('PostgreSQL back after a pause', { ms: await backIn(shortTimeout) });
  });

  test('loses no connection to calls that timed out while PostgreSQL hangs repeatedly', async () => {
    for (let round = 1; round <= 6; round += 1) {
      postgres.pause();
      try {
        const { outcomes } = await inTurn(round + 1, () =>
          Promise.all([validate(fullKey, shortTimeout), validate('lk_nonsense', shortTimeout)]),
        );
        expect(new Set(outcomes.flat())).toEqual(new Set([status.UNAVAILABLE]));
      } finally {
        postgres.resume();
      }
      await backIn(shortTimeout);
    }
  });

  test('answers each question of a stream UNAVAILABLE while PostgreSQL is away, and then grants again', async () => {
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

  test('answers management calls with a 503 problem, and is not ready, while PostgreSQL is away', async () => {
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

  test('answers at worst briefly UNAVAILABLE, and never wrongly, when PostgreSQL cuts every connection', async () => {
    const outcomes: Outcome[] = [];
    let slowestMs = 0;
    for (let round = 0; round < 5; round += 1) {
      const calls = Promise.all(Array.from({ length: 200 }, () => validate(fullKey)));
      await sql(
        postgres.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'latchkey%'`,
      );
      outcomes.push(...(await calls));
      slowestMs = Math.max(slowestMs, await backIn());
    }
    const unavailable = outcomes.filter((outcome) => outcome === status.UNAVAILABLE).length;
    const figures = {
      calls: outcomes.length,
      granted: outcomes.length - unavailable,
      unavailable,
      'back in ms': slowestMs,
    };
    printFigures('PostgreSQL cuts every connection', figures);
    for (const outcome of outcomes) expect(['grant', status.UNAVAILABLE]).toContain(outcome);
  });

  test('grants good keys but is UNAVAILABLE for others while PostgreSQL takes no writes', async () => {
    const readOnly = async (on: boolean) => {
      await sql(postgres.url, `ALTER SYSTEM SET default_transaction_read_only = ${on ? 'on' : 'off'}`);
      await sql(postgres.url, 'SELECT pg_reload_conf()');
    };
    await readOnly(true);
    try {
      await eventually(async () => (await validate('lk_nonsense')) === status.UNAVAILABLE);
      const good = await inTurn(20, () => validate(fullKey));
      expect(good.outcomes).toEqual(new Array(20).fill('grant'));
      for (const credential of [withWrongSecret(fullKey), unknownKey(), 'lk_nonsense', '']) {
        expect(await validate(credential)).toBe(status.UNAVAILABLE);
      }
      expect((await person.create()).status).toBe(503);
      expect((await person.revoke(keyId)).status).toBe(503);
    } finally {
      await readOnly(false);
    }
    await backIn();
    expect((await person.list()).items.map(({ status: state }) => state)).toEqual(['active']);
  });

  test('answers nothing from a PostgreSQL that came back as a standby, until it is promoted', async () => {
    await postgres.stop();
    postgres.becomeStandby();
    await postgres.startAgain();
    await eventually(() => sql(postgres.url, 'SELECT pg_is_in_recovery()').catch(() => undefined));
    expect(await sql(postgres.url, 'SELECT pg_is_in_recovery() AS standby')).toEqual([{ standby: true }]);
    await expectUnavailable('a standby');
    expect((await person.call('GET', '/v1/api-keys')).status).toBe(503);
    await expect(startService({ DATABASE_URL: postgres.url })).rejects.toThrow(/^DATABASE_URL: [^\n]*recovery[^\n]*$/);
    await sql(postgres.url, 'SELECT pg_promote()');
    await backIn();
  });
});
