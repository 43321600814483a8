import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { once } from 'node:events';
import { DENIAL_REASONS } from '#domain/keys/verdict.js';
import { eventually } from '../support/eventually.js';
import { causeEveryVerdict } from './every-verdict.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { routesFile } from '../support/callers/forward-auth.js';
import { newOwner } from '../support/callers/owners.js';
import { type PlatformLogin, startPlatformLogin } from '../support/platform/platform-login.js';
import { type Entry, PrintedLog } from '../support/reading/printed-log.js';
import { startServiceHere, type Service } from '../support/processes/service.js';

const KEY_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DEBUG = 20;
const INFO = 30;
const WARN = 40;

describe('the log at debug', () => {
  let log: PrintedLog;
  let login: PlatformLogin;
  let service: Service;
  beforeAll(async () => {
    log = new PrintedLog();
    login = await startPlatformLogin();
    service = await startServiceHere({
      LOG_LEVEL: 'debug',
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '20',
      ...login.env,
      PASSWORD_SIGN_IN: 'on',
    });
  });
  afterAll(async () => {
    await service?.stop();
    await login?.stop();
    log.stop();
  });

  const refusalOf = (requestId: string) => log.named('refused').find((entry) => entry['requestId'] === requestId);
  const present = async (claims: object, requestId: string): Promise<Entry | undefined> => {
    const jwt = await login.token({ sub: 'nobody', ...claims });
    const headers = { authorization: `Bearer ${jwt}`, 'x-request-id': requestId };
    expect((await service.person().call('GET', '/v1/session', undefined, headers)).status).toBe(401);
    return refusalOf(requestId);
  };

  test('has the reason of each denial, with the ids of request, key and owner', async () => {
    await causeEveryVerdict(service);
    const denials = log.named('refused').filter(({ reason }) => reason !== undefined && reason !== 'invalid-key');
    for (const denial of denials) {
      const requestId = expect.stringMatching(/^validation-\d+$/);
      const keyId = expect.stringMatching(KEY_ID);
      expect(denial).toMatchObject({
        level: DEBUG,
        requestId,
        keyId,
        ownerId: expect.any(String),
        operation: expect.any(String),
      });
    }
    const reasons = denials.map(({ reason }) => reason).concat('invalid-key');
    expect([...new Set(reasons)].sort()).toEqual([...DENIAL_REASONS].sort());
    expect(denials.find(({ reason }) => reason === 'missing-permission')).toMatchObject({ permission: 'reports:read' });
  });

  test('has the reason why a key is not proven, without its secret', async () => {
    const { apiKey, fullKey } = await (await newOwner(service)).person.newKey();
    const [wrong, unknown] = [withWrongSecret(fullKey), unknownKey()];
    await service.clients.validate(wrong, { requestId: 'wrong' });
    await service.clients.validate(unknown, { requestId: 'unknown' });
    await service.clients.validate('let me in', { requestId: 'malformed' });
    expect(refusalOf('wrong')).toMatchObject({ reason: 'invalid-key', why: 'wrong secret', keyId: apiKey.id });
    expect(refusalOf('unknown')).toMatchObject({ why: 'unknown key', publicPart: unknown.slice(3, 27) });
    expect(refusalOf('malformed')).toMatchObject({ why: 'not a well-formed key' });
    for (const key of [wrong, unknown]) expect(log.text).not.toContain(key.slice(28, 60));
  });

  test.each([
    ['expired', { exp: 1_700_000_000 }, 'the token has expired'],
    ['wrong audience', { aud: 'billing' }, 'the audience (aud) is not SESSION_JWT_AUDIENCE'],
    ['wrong issuer', { iss: 'https://elsewhere.example' }, 'the issuer (iss) is not SESSION_JWT_ISSUER'],
    ['unknown account', { sub: 'auth0|nobody' }, 'no account has the id auth0|nobody'],
  ])("has the reason why a token of the platform's login was refused: %s", async (what, claims, why) => {
    const requestId = what.replace(' ', '-');
    expect(await present(claims, requestId)).toMatchObject({ level: DEBUG, reason: 'invalid-token', why });
  });

  test('has the reason of any other refusal, over HTTP, gRPC and a stream', async () => {
    await service.person().call('POST', '/v1/api-keys', {}, { 'x-request-id': 'signed-out' });
    expect(refusalOf('signed-out')).toMatchObject({ level: DEBUG, code: 'unauthenticated', why: expect.any(String) });
    const broken = { requestId: 'broken', operation: 'OPERATION_UNSPECIFIED' } as const;
    await expect(service.clients.validateRequest(broken)).rejects.toThrow(/credential is unset/);
    const stream = service.clients.apiKeys.validateKeys(bearer('dev-validator-token'));
    stream.write({ ...broken, requestId: 'streamed' });
    await once(stream, 'data');
    stream.end();
    for (const requestId of ['broken', 'streamed']) {
      const why = expect.stringContaining('credential is unset');
      expect(refusalOf(requestId)).toMatchObject({ code: 'invalid_fields', why });
    }
  });

  test('warns of callers with a missing, an unknown or the wrong service token, over gRPC and HTTP', async () => {
    const { apiKeys } = service.clients;
    const call = (metadata: Metadata) =>
      new Promise((resolve) => apiKeys.validateKey({ credential: 'lk' } as never, metadata, resolve));
    for (const metadata of [new Metadata(), bearer('nobody-knows-me'), bearer('dev-accounts-token')])
      await call(metadata);
    await service.person().call('POST', '/v1/revoke_tokens', [], { authorization: 'Bearer nobody-knows-me' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await fetch(`${service.url}/v1/introspect`, { method: 'POST', headers: form, body: 'token=lk' });
    const warnings = log
      .entries()
      .filter(({ level }) => level === WARN)
      .map(({ msg }) => msg);
    for (const line of [
      'a caller at 127.0.0.1 sent no service token to ApiKeyService/ValidateKey',
      'a caller at 127.0.0.1 sent an unknown service token to ApiKeyService/ValidateKey: SERVICE_TOKENS needs',
      'at 127.0.0.1 has the role accounts and may not call ApiKeyService/ValidateKey',
      'a caller at 127.0.0.1 sent an unknown service token to /v1/revoke_tokens',
      'a caller at 127.0.0.1 sent no service token to /v1/introspect',
    ])
      expect(warnings).toContainEqual(expect.stringContaining(line));
    expect(log.text).not.toContain('nobody-knows-me');
  });

  test('has successful probes at debug, and all other requests at info', async () => {
    const levelOf = (path: string) =>
      eventually(async () => log.named('request').find((entry) => entry['path'] === path)?.level);
    for (const path of ['/livez', '/readyz', '/metrics']) await service.person().call('GET', path);
    expect([await levelOf('/livez'), await levelOf('/readyz'), await levelOf('/metrics')]).toEqual([
      DEBUG,
      DEBUG,
      INFO,
    ]);
  });
});

test('the log at info has what a proxy asked for, and what the key has, once for each reason', async () => {
  const log = new PrintedLog();
  const service = await startServiceHere({ LOG_LEVEL: 'info', FORWARD_AUTH_ROUTES: routesFile() });
  try {
    const { apiKey, fullKey } = await (await newOwner(service)).person.newKey({ permissions: ['systems:read'] });
    for (const requestId of ['first', 'second']) {
      const headers = {
        ...{ authorization: `Bearer ${fullKey}`, 'x-request-id': requestId },
        ...{ 'x-original-method': 'GET', 'x-original-uri': '/reports/7' },
      };
      expect((await fetch(`${service.url}/v1/forward-auth?mode=nginx`, { headers })).status).toBe(403);
    }
    expect(log.named('refused')).toMatchObject([
      {
        ...{ level: INFO, reason: 'missing-permission', keyId: apiKey.id, requestId: 'first' },
        ...{ operation: 'read', permission: 'reports:read' },
        has: { access: 'read-and-write', permissions: ['systems:read'] },
      },
    ]);
    expect(log.text).not.toContain(fullKey.slice(28));
  } finally {
    await service.stop();
    log.stop();
  }
});
