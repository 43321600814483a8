import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { sharedService, startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('an Authorization header on a management call', () => {
  let service: Service;
  let goodKey: string;
  let cookie: string;
  beforeAll(async () => {
    service = await sharedService();
    ({ cookie } = await service.person().signIn());
    goodKey = (await (await newOwner(service)).person.newKey()).fullKey;
  });
  afterAll(() => service.stop());

  const send = (...headers: string[]) => rawRequest(service, 'GET /v1/api-keys', headers);

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'is accepted with the scheme %s, and the key is answered 403',
    async (scheme) => {
      expect((await send(`Authorization: ${scheme} ${goodKey}`)).status).toBe(403);
      expect((await send(`aUtHoRiZaTiOn: ${scheme} ${goodKey}`)).status).toBe(403);
    },
  );

  test.each<[string, (key: string) => string[]]>([
    ['two spaces', (key) => [`Authorization: Bearer  ${key}`]],
    ['a tab for the space', (key) => [`Authorization: Bearer\t${key}`]],
    ['a space and a tab', (key) => [`Authorization: Bearer \t${key}`]],
    ['a no-break space at the end', (key) => [`Authorization: Bearer ${key}\u00a0`]],
    ['a comma at the end', (key) => [`Authorization: Bearer ${key},`]],
    ['quotes', (key) => [`Authorization: Bearer "${key}"`]],
    ['no space', (key) => [`Authorization: Bearer${key}`]],
    ['no scheme', (key) => [`Authorization: ${key}`]],
    ['nothing after the scheme', () => ['Authorization: Bearer']],
    ['nothing at all', () => ['Authorization:']],
    ['the scheme Basic', (key) => [`Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`]],
    ['the scheme Token', (key) => [`Authorization: Token ${key}`]],
    ['capitals in the key', (key) => [`Authorization: Bearer ${key.toUpperCase()}`]],
    ['two headers, both good', (key) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
    ['two headers, the first good', (key) => [`Authorization: Bearer ${key}`, 'authorization: Basic eDp5']],
    ['two headers, the second good', (key) => ['authorization: Basic eDp5', `Authorization: Bearer ${key}`]],
    ['two keys in one', (key) => [`Authorization: Bearer ${key}, Bearer ${key}`]],
    ['a JSON web token of an unknown issuer', () => ['Authorization: Bearer eyJh.eyJz.c2ln']],
  ])('is answered 401 with %s, also next to a session', async (_, headers) => {
    for (const session of [[], [`Cookie: ${cookie}`]]) {
      const { status, head, body } = await send(...headers(goodKey), ...session);
      expect(status).toBe(401);
      expect(head).toMatch(/^www-authenticate: Bearer$/im);
      expect(head).not.toMatch(/^ratelimit/im);
      expect(JSON.parse(body)).toMatchObject({ code: 'invalid_api_key', detail: 'invalid api key' });
    }
  });

  test('may have spaces around its value (RFC 9110, 5.5)', async () => {
    expect((await send(`Authorization:   Bearer ${goodKey}  `)).status).toBe(403);
  });

  test('is the only header in which a key is read', async () => {
    for (const header of [
      `X-Api-Key: ${goodKey}`,
      `Proxy-Authorization: Bearer ${goodKey}`,
      `Cookie: api_key=${goodKey}`,
    ]) {
      expect(JSON.parse((await send(header)).body)).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
  });

  test.each(['api_key', 'apiKey', 'key', 'access_token', 'token', 'authorization', 'latchkey_session'])(
    'cannot be replaced by the query string: ?%s=',
    async (name) => {
      const values = [goodKey, `Bearer ${goodKey}`, cookie, cookie.split('=')[1]!];
      for (const value of values) {
        const answer = await service.person().call('GET', `/v1/api-keys?${name}=${encodeURIComponent(value)}`);
        expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      }
    },
  );

  test('gets the same bytes for every reason of a 401', async () => {
    const { id, person } = await newOwner(service);
    const [revoked, expired, good] = [await person.newKey(), await person.newKey(), await person.newKey()];
    await person.revoke(revoked.apiKey.id);
    await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired.apiKey.id]);
    const judge = async (key: string) => {
      const { status, body } = await send(`Authorization: Bearer ${key}`);
      return { status, body };
    };
    const answers = [await judge('nonsense'), await judge(unknownKey()), await judge(withWrongSecret(good.fullKey))];
    answers.push(await judge(revoked.fullKey), await judge(expired.fullKey));
    await service.clients.account('SuspendAccount', id);
    answers.push(await judge(good.fullKey));
    await service.clients.account('DeleteAccount', id);
    answers.push(await judge(good.fullKey));
    expect(answers[0]!.status).toBe(401);
    expect(answers).toEqual(Array(7).fill(answers[0]));
  });

  test('is answered with RateLimit headers only if the secret is proven', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    const headersFor = async (key: string) => {
      const { headers } = await service
        .person()
        .call('GET', '/v1/api-keys', undefined, { authorization: `Bearer ${key}` });
      return [headers.get('ratelimit-policy'), headers.get('ratelimit')];
    };
    expect(await headersFor(withWrongSecret(fullKey))).toEqual([null, null]);
    expect(await headersFor(fullKey)).toEqual(['"key";q=100;w=5', '"key";r=99;t=1']);
    await person.revoke(apiKey.id);
    expect(await headersFor(fullKey)).toEqual(['"key";q=100;w=5', expect.stringMatching(/^"key";r=\d+;t=1$/)]);
    const { headers } = await person.call('GET', '/v1/api-keys');
    expect(headers.get('ratelimit')).toBeNull();
  });

  test("is recorded for the key's owner when it fails, but not when the call is only not allowed", async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    const present = (key: string, requestId: string) =>
      service.person().call('GET', '/v1/session', undefined, {
        authorization: `Bearer ${key}`,
        'x-request-id': requestId,
        'user-agent': 'Curious',
      });
    await present(withWrongSecret(fullKey), 'wrong-secret');
    await present(fullKey, 'good');
    await present(unknownKey(), 'unknown');
    const { items } = await person.events();
    expect(items).toMatchObject([
      {
        type: 'authentication.failed',
        reason: 'invalid-key',
        keyId: apiKey.id,
        clientIp: '127.0.0.1',
        userAgent: 'Curious',
        requestId: 'wrong-secret',
      },
      { type: 'api_key.created' },
    ]);
    const [anonymous] = await sql(
      service.databaseUrl,
      `SELECT reason, owner_id FROM audit_events WHERE request_id = 'unknown'`,
    );
    expect(anonymous).toEqual({ reason: 'invalid-key', owner_id: null });
  });
});

describe('a key on a management call', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' });
  });
  afterAll(() => service.stop());

  test('is answered 429 with Retry-After above the rate limit that its validations share', async () => {
    const { person } = await newOwner(service);
    const { fullKey } = await person.newKey();
    const bearer = { authorization: `Bearer ${fullKey}` };
    await service.clients.validate(fullKey);
    const allowed = await service.person().call('GET', '/v1/api-keys', undefined, bearer);
    expect(allowed.status).toBe(403);
    expect(allowed.headers.get('ratelimit-policy')).toBe('"key";q=2;w=2');
    const { headers, body } = await eventually(async () => {
      const answer = await service.person().call('GET', '/v1/api-keys', undefined, bearer);
      return answer.status === 429 && answer;
    });
    expect(body).toMatchObject({ status: 429, code: 'rate_limited', detail: 'too many requests' });
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('ratelimit')).toMatch(/^"key";r=0;t=[12]$/);
    await eventually(async () => (await service.clients.validate(fullKey)).denial?.reason === 'REASON_RATE_LIMITED');
    expect((await person.call('GET', '/v1/api-keys')).status).toBe(200);
  });
});
