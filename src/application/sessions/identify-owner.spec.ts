import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  eventsOf,
  newOwner,
  openApplication,
  PASSWORD,
  type Application,
} from '../../../test/support/application.js';
import { createDatabase } from '../../../test/support/databases.mjs';
import {
  AUDIENCE,
  ISSUER,
  sign,
  startPlatformLogin,
  type PlatformLogin,
} from '../../../test/support/platform-login.js';
import { JwksPlatformTokens } from '../../infrastructure/outbound/platform-login/jwks-platform-tokens.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let login: PlatformLogin;
let app: Application;
let without: Application;
beforeAll(async () => {
  database = await createDatabase();
  login = await startPlatformLogin();
  const tokens = new JwksPlatformTokens({ jwksUrl: login.jwksUrl, issuer: ISSUER, audience: AUDIENCE });
  app = await openApplication(database.url, { tokens });
  without = await openApplication(database.url);
});
afterAll(async () => {
  await Promise.all([app, without].map((instance) => instance?.close()));
  await login.stop();
  await database.drop();
});

const tokenFor = (sub: string, claims: object = {}) =>
  sign({ sub, ...claims }, { alg: 'ES256', kid: 'ES256' }, login.privateKey('ES256'));

describe('who manages keys', () => {
  test('is the person behind a session', async () => {
    const { id, email } = await newOwner(app);
    const { token, expiresAt } = await app.signIn.execute(email, PASSWORD, client());
    expect(await app.identifyOwner.bySession(token)).toMatchObject({ account: { id, email }, expiresAt });
    expect(await app.identifyOwner.bySession('another')).toBeUndefined();
  });

  test("is the account that a token of the platform's login names, until the token expires", async () => {
    const { id } = await newOwner(app);
    const exp = Math.floor(Date.now() / 1000) + 60;
    const session = await app.identifyOwner.byPlatformToken(await tokenFor(id, { exp }), client());
    expect(session).toMatchObject({ account: { id }, expiresAt: new Date(exp * 1000) });
    expect(await eventsOf(app, id)).toEqual([]);
  });

  test.each(['suspend', 'delete'] as const)(
    'is nobody once the account is gone (%s), and that is recorded',
    async (change) => {
      const { id } = await newOwner(app);
      await app.changeAccountStatus[change](id);
      const from = client('203.0.113.9');
      expect(await app.identifyOwner.byPlatformToken(await tokenFor(id), from)).toBeUndefined();
      expect(await eventsOf(app, id)).toMatchObject([
        {
          type: 'authentication.failed',
          reason: 'invalid-token',
          request_id: from.requestId,
          client_ip: '203.0.113.9',
        },
      ]);
    },
  );

  test.each([
    ['names no account', () => tokenFor('nobody')],
    ['is not valid', async () => `${await tokenFor('nobody')}x`],
  ])('is nobody when the token %s, and that is recorded', async (_what, make) => {
    const from = client();
    expect(await app.identifyOwner.byPlatformToken(await make(), from)).toBeUndefined();
    const events = await app.sql(`SELECT * FROM audit_events WHERE request_id = $1`, [from.requestId]);
    expect(events).toMatchObject([{ reason: 'invalid-token', owner_id: null }]);
  });

  test('takes no tokens where no login is set, though it says so only on record', async () => {
    const { id } = await newOwner(app);
    expect([app.identifyOwner.acceptsPlatformTokens, without.identifyOwner.acceptsPlatformTokens]).toEqual([
      true,
      false,
    ]);
    expect(await without.identifyOwner.byPlatformToken(await tokenFor(id), client())).toBeUndefined();
  });
});
