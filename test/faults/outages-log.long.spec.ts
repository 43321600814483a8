import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { type PlatformLogin, startPlatformLogin } from '../support/platform/platform-login.js';
import { PrintedLog } from '../support/reading/printed-log.js';
import { startRedis } from '../support/stores/redis.mjs';
import { startServiceHere, type Service } from '../support/processes/service.js';
import { outcomeOf } from './measure.js';
import { OwnPostgres } from './own-postgres.js';

/** Enough calls to show whether the log repeats a message for each of them. */
const CALLS = 20;

describe('the log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outages-'));
  let log: PrintedLog;
  let postgres: OwnPostgres;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let login: PlatformLogin;
  let service: Service;
  beforeAll(async () => {
    [postgres, redis, login] = await Promise.all([OwnPostgres.start(), startRedis(folder), startPlatformLogin()]);
    log = new PrintedLog();
    service = await startServiceHere({
      LOG_LEVEL: 'info',
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      ...login.env,
      PASSWORD_SIGN_IN: 'on',
    });
  });
  afterAll(async () => {
    await service?.stop();
    log.stop();
    await login.stop();
    await redis.stop();
    await postgres.remove();
  });

  /** The lines of the log about a store, and about calls that failed because a store was unavailable. */
  const linesAbout = (store: string) =>
    log
      .entries()
      .filter(
        ({ msg }) =>
          msg.startsWith('unavailable') ||
          msg === 'a job failed' ||
          (msg.startsWith(store) && / is (away|back): /.test(msg)),
      );
  /** Expects two lines about what `pass` does. `pass` gets a function that waits for one of them. */
  async function expectOneOutage(
    store: string,
    pass: (logged: (state: 'away' | 'back') => Promise<unknown>) => unknown,
  ) {
    // On a slow machine, the start may have had its own outage.
    await eventually(async () => !linesAbout(store).at(-1)?.msg.includes(' is away: '));
    const before = linesAbout(store).length;
    const since = () => linesAbout(store).slice(before);
    await pass((state) => eventually(async () => since().some(({ msg }) => msg.includes(` is ${state}: `))));
    expect(since()).toMatchObject([
      { level: 40, msg: expect.stringMatching(`^${store}.* is away: `), reason: expect.stringMatching(/\w/) },
      { level: 30, msg: expect.stringMatching(`^${store}.* is back: `), awayMs: expect.any(Number) },
    ]);
  }

  test('has one line with the cause when an outage of PostgreSQL begins, and one when it ends', async () => {
    const [person, { validate }] = [service.person(), service.clients];
    await expectOneOutage('PostgreSQL', async (logged) => {
      await postgres.stop();
      for (let call = 0; call < CALLS; call += 1) {
        await outcomeOf(validate('lk_nonsense'));
        expect((await person.call('GET', '/readyz')).status).toBe(503);
        expect((await person.call('POST', '/v1/session', { email: 'a@b.c', password: 'x' })).status).toBe(503);
      }
      await postgres.startAgain();
      await logged('back');
      await eventually(async () => (await outcomeOf(validate('lk_nonsense'))) === 'denial');
    });
  });

  test('has the same two lines for an outage of Redis', async () => {
    await expectOneOutage('Redis', async (logged) => {
      await redis.stop();
      await logged('away');
      redis = await startRedis(folder, redis.port);
      await logged('back');
    });
  });

  test("has the same two lines for an outage of the platform's login", async () => {
    const keys = JSON.stringify({ keys: login.publicKeys });
    const jwt = await login.token({ sub: 'nobody' });
    const statusOfCall = async () => {
      const headers = { authorization: `Bearer ${jwt}` };
      return (await service.person().call('GET', '/v1/session', undefined, headers)).status;
    };
    await expectOneOutage('The platform login', async () => {
      login.answers(500, 'oops');
      for (let call = 0; call < CALLS; call += 1) expect(await statusOfCall()).toBe(503);
      login.answers(200, keys);
      for (let call = 0; call < CALLS; call += 1) expect(await statusOfCall()).toBe(401);
    });
  });
});
