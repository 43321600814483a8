import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const VALIDATOR = { authorization: 'Bearer dev-validator-token' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('POST /v1/introspect', () => {
  let service: Service;
  let owner: Owner;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' });
    owner = await newOwner(service);
  });
  afterAll(() => service.stop());

  const postTo = (one: Service, body: string, headers: Record<string, string> = {}) =>
    one.person().call('POST', '/v1/introspect', body, { ...FORM, ...VALIDATOR, ...headers });
  const post = (body: string, headers: Record<string, string> = {}) => postTo(service, body, headers);
  const introspectAt = (one: Service, token: string) => postTo(one, new URLSearchParams({ token }).toString());
  const introspect = (token: string) => introspectAt(service, token);
  /** @param of an owner of this test alone, so that the owner never has more than five active keys */
  const newKey = async (order: object = {}, of?: Owner) => (of ?? (await newOwner(service))).person.newKey(order);
  const failuresOf = (requestId: string) =>
    sql(service.databaseUrl, 'SELECT * FROM audit_events WHERE request_id = $1', [requestId]);

  describe('a good key', () => {
    test('is active, with its owner, scope and times', async () => {
      const { apiKey, fullKey } = await newKey({ access: 'read-only', expiresInDays: 2 }, owner);
      const { status, headers, body } = await introspect(fullKey);
      expect(status).toBe(200);
      const iat = Math.floor(Date.parse(apiKey.createdAt) / 1000);
      expect(body).toEqual({
        active: true,
        sub: owner.id,
        scope: 'systems:read',
        iat,
        client_id: apiKey.id,
        token_type: 'Bearer',
        attributes: {},
      });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('ratelimit-policy')).toBe('"key";q=3;w=3');
      expect(headers.get('ratelimit')).toBe('"key";r=2;t=1');
    });

    test('has the current scope of its owner, and no scope without permissions', async () => {
      const another = await newOwner(service);
      const { fullKey } = await newKey({}, another);
      expect((await introspect(fullKey)).body.scope).toBe('systems:read systems:write');
      await service.clients.putAccount({ id: another.id, email: another.email, permissions: ['systems:delete'] });
      expect((await introspect(fullKey)).body).not.toHaveProperty('scope');
    });

    test('is answered 429 with Retry-After above its rate limit', async () => {
      const { fullKey } = await newKey();
      const limited = await eventually(async () => {
        const answer = await introspect(fullKey);
        return answer.status !== 200 && answer;
      });
      expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      expect(limited.headers.get('retry-after')).toBe('1');
      expect(limited.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d$/);
    });

    test('is answered 503 while PostgreSQL does not answer, and is active again afterwards', async () => {
      const { fullKey } = await newKey();
      const hasty = await startService({ DATABASE_URL: service.databaseUrl, DATABASE_PATIENCE_MS: '120' });
      const introspect = () => introspectAt(hasty, fullKey);
      const holder = new pg.Client({ connectionString: service.databaseUrl });
      await holder.connect();
      await holder.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
      expect(await introspect()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      await holder.query('ROLLBACK');
      await holder.end();
      await eventually(async () => (await introspect()).body.active === true);
      await hasty.stop();
    });
  });

  describe('a token that is not active', () => {
    const revoked = async () => {
      const another = await newOwner(service);
      const { apiKey, fullKey } = await newKey({}, another);
      await another.person.revoke(apiKey.id);
      return fullKey;
    };
    const expired = async () => {
      const { apiKey, fullKey } = await newKey();
      await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [apiKey.id]);
      return fullKey;
    };
    const ownedBy = (method: 'SuspendAccount' | 'DeleteAccount') => async () => {
      const another = await newOwner(service);
      const { fullKey } = await newKey({}, another);
      await service.clients.account(method, another.id);
      return fullKey;
    };
    const cases: [string, string, () => Promise<string> | string][] = [
      ['an arbitrary text', 'invalid-key', () => 'let me in'],
      ['a JWT', 'invalid-key', () => 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.x'],
      ['an unknown key', 'invalid-key', () => unknownKey()],
      ['a wrong secret', 'invalid-key', async () => withWrongSecret((await newKey()).fullKey)],
      ['a revoked key', 'revoked', revoked],
      ['an expired key', 'expired', expired],
      ["a suspended owner's key", 'owner-suspended', ownedBy('SuspendAccount')],
      ["a deleted owner's key", 'owner-deleted', ownedBy('DeleteAccount')],
    ];

    test('gets the same bytes for every reason, and is recorded', async () => {
      const answers = new Set<string>();
      for (const [what, reason, make] of cases) {
        const body = new URLSearchParams({ token: await make() }).toString();
        const requestId = `introspect-${what.replace(/\W/g, '-')}`;
        const headers = [
          `Authorization: ${VALIDATOR.authorization}`,
          `Content-Type: ${FORM['content-type']}`,
          `Content-Length: ${body.length}`,
          'User-Agent: the gateway',
          `X-Request-Id: ${requestId}`,
        ];
        const answer = await rawRequest(service, 'POST /v1/introspect', headers, body);
        expect([what, answer.status, answer.body]).toEqual([what, 200, '{"active":false}']);
        expect(answer.head).toContain(`X-Request-Id: ${requestId}`);
        answers.add(answer.head.replace(/^(Date|X-Request-Id): .*$/gm, '$1'));
        // The calling service is not the client, and it does not send the client's address.
        expect(await failuresOf(requestId)).toMatchObject([{ reason, client_ip: null, user_agent: null }]);
      }
      expect(answers.size).toBe(1);
      expect([...answers][0]).toContain('Cache-Control: no-store');
    });
  });

  describe('a request', () => {
    test('may have a token_type_hint and unknown fields', async () => {
      const { fullKey } = await newKey();
      const { body } = await post(`token_type_hint=refresh_token&token=${fullKey}&resource=https%3A%2F%2Fa.example`);
      expect(body.active).toBe(true);
    });

    test.each([
      ['no body', '', 400, 'token'],
      ['an empty token', 'token=', 400, 'token'],
      ['only another field', 'key=k-1', 400, 'token'],
      ['two tokens', 'token=k-1&token=k-1', 400, 'token'],
      ['two hints', 'token=k-1&token_type_hint=a&token_type_hint=a', 400, 'token_type_hint'],
    ])('with %s is answered 400 with the field named', async (_, form, expected, field) => {
      const { status, body } = await post(form);
      expect([status, body.errors]).toEqual([expected, [{ field, message: expect.any(String) }]]);
      expect(JSON.stringify(body)).not.toContain('k-1');
    });

    test.each([
      ['JSON', '{"token":"t"}', 'application/json'],
      ['text', 'token=t', 'text/plain'],
      ['another charset', 'token=t', 'application/x-www-form-urlencoded; charset=utf-16'],
    ])('of type %s is answered 415', async (_, form, type) => {
      const { status, body } = await post(form, { 'content-type': type });
      expect([status, body.detail]).toEqual([415, 'The body must be application/x-www-form-urlencoded in UTF-8']);
    });

    test('is answered 400 where its percent-encoded bytes are not UTF-8', async () => {
      const { status, body } = await post('token=caf%E9');
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/^The body is not valid UTF-8/)]);
      expect((await post('token=caf%C3%A9&token_type_hint=100%')).body).toEqual({ active: false });
    });

    test('is answered 413 over 16 KiB, 404 by GET, and 400 with the token in the query string', async () => {
      expect((await post(`token=${'x'.repeat(17_000)}`)).status).toBe(413);
      expect((await service.person().call('GET', '/v1/introspect', undefined, VALIDATOR)).status).toBe(404);
      const inQuery = await service.person().call('POST', '/v1/introspect?token=t', '', { ...FORM, ...VALIDATOR });
      expect([inQuery.status, inQuery.body.errors[0].field]).toEqual([400, 'token']);
    });
  });

  describe('a caller', () => {
    test.each([
      ['without a service token', {}],
      ['with an unknown one', { authorization: 'Bearer who-is-this' }],
      ['with the bare token', { authorization: 'dev-validator-token' }],
    ])('%s is answered 401, and its token is not validated', async (what, identity) => {
      const headers = { ...FORM, ...identity, 'x-request-id': `caller-${what.replace(/\W/g, '-')}` };
      const answer = await service.person().call('POST', '/v1/introspect', `token=${unknownKey()}`, headers);
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(await failuresOf(headers['x-request-id'])).toEqual([]);
    });

    const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` });
    const REAL = 'client_id=dev-validator&client_secret=dev-validator-token';
    const introspectWith = (headers: Record<string, string>, form: string, requestId = 'oauth') =>
      service.person().call('POST', '/v1/introspect', form, { ...FORM, ...headers, 'x-request-id': requestId });

    test.each([
      ['with Basic', basic('dev-validator:dev-validator-token'), ''],
      ['with form-encoded Basic', basic('dev%2Dvalidator:dev%2dvalidator%2Dtoken'), ''],
      ['with Basic and its name in the form', basic('dev-validator:dev-validator-token'), '&client_id=dev-validator'],
      ['with client_id and client_secret in the form', {}, `&${REAL}`],
    ])('%s is accepted', async (_, headers, more) => {
      expect(await introspectWith(headers, `token=${unknownKey()}${more}`)).toMatchObject({
        status: 200,
        body: { active: false },
      });
    });

    test.each([
      ['by Basic with an unknown token', basic('dev-validator:who-is-this'), ''],
      ["by Basic with another's name", basic('dev-accounts:dev-validator-token'), ''],
      ['by Basic without a name', basic(':dev-validator-token'), ''],
      ['by Basic without a token', basic('dev-validator'), ''],
      ['by Basic that is not Base64', { authorization: 'Basic dev-validator:dev-validator-token' }, ''],
      ['by Basic with an incomplete escape', basic('dev-validator:dev-validator-token%2'), ''],
      ['by the form with an unknown token', {}, '&client_id=dev-validator&client_secret=who-is-this'],
      ["by the form with another's name", {}, '&client_id=dev-accounts&client_secret=dev-validator-token'],
      ['by the form without a name', {}, '&client_secret=dev-validator-token'],
      ['by the form without a token', {}, '&client_id=dev-validator'],
    ])('%s is answered 401 invalid_client, and its token is not validated', async (what, headers, more) => {
      const requestId = `oauth-${what.replace(/\W/g, '-')}`;
      const answer = await introspectWith(headers, `token=${unknownKey()}${more}`, requestId);
      const error_description = 'No service identity has this name and token';
      expect([answer.status, answer.body]).toEqual([401, { error: 'invalid_client', error_description }]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="latchkey"/);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await failuresOf(requestId)).toEqual([]);
    });

    test.each([
      ['Basic', basic('dev-validator:dev-validator-token')],
      ['Bearer', VALIDATOR],
    ])('by %s and the form at once is answered 400, also if both are right', async (_, headers) => {
      const answer = await introspectWith(headers, `token=${unknownKey()}&${REAL}`);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    });

    test('is answered 400 for a secret that is sent twice, and 403 for one of another role', async () => {
      const twice = await introspectWith({}, `token=t&${REAL}&client_secret=s-1`);
      expect([twice.status, twice.body.errors[0].field]).toEqual([400, 'client_secret']);
      expect(JSON.stringify(twice.body)).not.toMatch(/s-1|dev-validator-token/);
      expect((await introspectWith(basic('dev-accounts:dev-accounts-token'), 'token=t')).status).toBe(403);
    });

    test('with a key or a session in place of a service token is answered 401', async () => {
      const { fullKey } = await newKey({}, owner);
      const withKey = { authorization: `Bearer ${fullKey}` };
      expect((await post(`token=${fullKey}`, withKey)).status).toBe(401);
      expect((await owner.person.call('POST', '/v1/introspect', `token=${fullKey}`, FORM)).status).toBe(401);
    });

    test('with two Authorization headers is answered 401, even if both are good', async () => {
      const headers = ['Content-Length: 7', `Content-Type: ${FORM['content-type']}`];
      const twice = [VALIDATOR, VALIDATOR].map(({ authorization }) => `Authorization: ${authorization}`);
      expect((await rawRequest(service, 'POST /v1/introspect', [...headers, ...twice], 'token=t')).status).toBe(401);
    });

    test('with another role is answered 403', async () => {
      const { status, body } = await post('token=t', { authorization: 'Bearer dev-accounts-token' });
      expect([status, body.code]).toEqual([403, 'forbidden']);
    });
  });
});
