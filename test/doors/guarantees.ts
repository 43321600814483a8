import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/key-strings.js';
import { BURST, GuardedBackend, type Answer } from './guarded-backend.js';
import type { Recipe } from './recipe.js';

const SYSTEMS = '/backend/api/systems';
const SPOOFED = [
  'X-Latchkey-Owner: somebody-else',
  'X-Latchkey-Permissions: systems:write users:write',
  'X-Latchkey-Status: 200',
  'X-Original-Method: GET',
  `X-Original-URI: ${SYSTEMS}`,
  'X-Forwarded-Method: GET',
  `X-Forwarded-Uri: ${SYSTEMS}`,
];

/** What holds behind every recipe, whichever proxy runs it. */
export function guarantees(recipe: Recipe): void {
  let door: GuardedBackend;
  let someKey: string;
  beforeAll(async () => {
    door = await GuardedBackend.start(recipe);
    someKey = await door.newKey();
  });
  afterAll(() => door.stop());

  test('a good key gets through, and the backend learns whose it is, but not the key', async () => {
    const { id, person } = await door.newOwner(['systems:read', 'reports:read']);
    const { apiKey, fullKey } = await person.newKey({ access: 'read-only' });
    const { status, headers, seen } = await door.send(fullKey, `GET ${SYSTEMS}/7?page=2`);
    expect([status, seen?.method, seen?.url]).toEqual([200, 'GET', `${SYSTEMS}/7?page=2`]);
    expect(seen?.headers).toMatchObject({
      'x-latchkey-owner': id,
      'x-latchkey-key': apiKey.id,
      'x-latchkey-access': 'read-only',
      'x-latchkey-permissions': 'systems:read reports:read',
    });
    expect(JSON.stringify(seen)).not.toContain(fullKey.split('.')[1]);
    expect(headers.get('ratelimit-policy')).toBe(`"key";q=${BURST};w=${BURST}`);
    expect(headers.get('ratelimit')).toBe(`"key";r=${BURST - 1};t=1`);
  });

  test('a body gets through as it is, past the question', async () => {
    const body = '{"name":"Orion"}';
    const { status, seen } = await door.send(
      await door.newKey(),
      `POST ${SYSTEMS}`,
      ['Content-Type: text/plain'],
      body,
    );
    expect([status, seen?.method, seen?.body]).toEqual([200, 'POST', body]);
  });

  test('what is no good key is told 401, and nothing more', async () => {
    const answers = [
      await door.send(undefined, `GET ${SYSTEMS}`),
      await door.send('nonsense', `GET ${SYSTEMS}`),
      await door.send(unknownKey(), `GET ${SYSTEMS}`),
      await door.send(withWrongSecret(someKey), `GET ${SYSTEMS}`),
      await door.send(unknownKey(), 'GET /nowhere'),
      await door.send(undefined, `GET ${SYSTEMS}?access_token=${someKey}`),
    ];
    for (const answer of answers) {
      expectRefusal(answer, 401, 'invalid api key');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
    // Which of the two would count is not left to chance.
    const two = await door.send(someKey, `GET ${SYSTEMS}`, [`Authorization: Bearer ${someKey}`]);
    expect([400, 401]).toContain(two.status);
    expect(two.seen).toBeUndefined();
  });

  test('a good key is told 403 of what it may not do', async () => {
    const readOnly = await door.newKey({ access: 'read-only' });
    const stranger = (await (await door.newOwner(['reports:read'])).person.newKey()).fullKey;
    const answers = [
      await door.send(readOnly, `POST ${SYSTEMS}`),
      await door.send(stranger, `GET ${SYSTEMS}`),
      await door.send(someKey, `DELETE ${SYSTEMS}/7`),
      await door.send(someKey, 'GET /backend/api/users'),
    ];
    for (const answer of answers) {
      expectRefusal(answer, 403, 'operation not allowed');
      expect(answer.headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
    }
  });

  test('what a client claims by the names that are used between proxy, Latchkey and backend changes nothing', async () => {
    const { id, person } = await door.newOwner();
    const [readOnly, good] = [await person.newKey({ access: 'read-only' }), await person.newKey()];
    expectRefusal(await door.send(readOnly.fullKey, `POST ${SYSTEMS}`, SPOOFED), 403, 'operation not allowed');
    expectRefusal(await door.send(good.fullKey, 'GET /nowhere', SPOOFED), 403, 'operation not allowed');
    expectRefusal(await door.send(undefined, 'GET /nowhere', SPOOFED), 401, 'invalid api key');
    const { status, seen } = await door.send(good.fullKey, `PUT ${SYSTEMS}/7`, [
      ...SPOOFED,
      'X_Latchkey_Owner: somebody-else',
      'X-HTTP-Method-Override: DELETE',
      'X-Original-URL: /nowhere',
      'X-Rewrite-URL: /nowhere',
    ]);
    expect([status, seen?.headers['x-latchkey-owner']]).toEqual([200, id]);
    expect(JSON.stringify(seen)).not.toMatch(/somebody-else|users:write|x.latchkey.status|DELETE|nowhere|x-original/i);
    expect(seen?.headers['x-forwarded-method'] ?? seen?.headers['x-forwarded-uri']).toBeUndefined();
  });

  test('a client that has headers dropped on the way (RFC 9110, 7.6.1) drops none that counts', async () => {
    const { id, person } = await door.newOwner();
    const { fullKey } = await person.newKey({ access: 'read-only' });
    const names = [...SPOOFED.map((header) => header.split(':', 1)[0]!), 'X-Latchkey-Key', 'X-Latchkey-Access'];
    const dropping = [`Connection: ${names.join(', ')}`];
    expect((await door.send(fullKey, `POST ${SYSTEMS}`, dropping)).status).toBe(403);
    const { status, seen } = await door.send(fullKey, `GET ${SYSTEMS}`, dropping);
    expect([status, seen?.headers]).toMatchObject([
      200,
      {
        'x-latchkey-owner': id,
        'x-latchkey-key': expect.any(String),
        'x-latchkey-access': 'read-only',
        'x-latchkey-permissions': 'systems:read',
      },
    ]);
  });

  test.each([
    `${SYSTEMS}/../users`,
    `${SYSTEMS}/%2e%2e/users`,
    `${SYSTEMS}/..%2fusers`,
    `${SYSTEMS}/%252e%252e/users`,
    `${SYSTEMS}/..%5cusers`,
    `${SYSTEMS}/..;/users`,
    `/${SYSTEMS}`,
    `${SYSTEMS}//7`,
    `${SYSTEMS}/%00`,
    `${SYSTEMS}#/users`,
    `/backend/api/%73ystems`,
    `/backend/api/users?${SYSTEMS}`,
    'http://127.0.0.1/backend/api/users',
  ])('no way around by %s', async (target) => {
    const { status, seen } = await door.send(someKey, `GET ${target}`);
    expect([400, 403]).toContain(status);
    expect(seen).toBeUndefined();
  });

  test.each(['/_latchkey', '/v1/forward-auth?mode=nginx'])(
    'nobody asks the question themselves: %s',
    async (target) => {
      const { status, seen } = await door.send(someKey, `GET ${target}`);
      expect([403, 404]).toContain(status);
      expect(seen).toBeUndefined();
    },
  );

  test('a key past its limit is told 429, and when to come again', async () => {
    const key = await door.newKey();
    const limited = await eventually(async () => {
      const answer = await door.send(key, `GET ${SYSTEMS}`);
      return answer.status === 429 && answer;
    });
    expectRefusal(limited, 429, 'too many requests');
    expect(limited.headers.get('retry-after')).toBe('1');
    expect(limited.headers.get('ratelimit-policy')).toBe(`"key";q=${BURST};w=${BURST}`);
    expect(limited.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
  });

  test('the record names the client, not the proxy', async () => {
    const { person } = await door.newOwner();
    const claims = ['User-Agent: Curious', 'X-Forwarded-For: 203.0.113.7', 'X-Real-IP: 203.0.113.7'];
    await door.send(withWrongSecret((await person.newKey()).fullKey), `GET ${SYSTEMS}`, claims);
    const { items } = await person.events('?limit=1');
    expect(items).toMatchObject([{ type: 'authentication.failed', clientIp: '127.0.0.1', userAgent: 'Curious' }]);
  });

  describe('with what Latchkey needs taken away', () => {
    test('without PostgreSQL nobody gets in, and nobody is told that a key is invalid: 503', async () => {
      door.takeAwayPostgres();
      for (const presented of [someKey, unknownKey(), undefined]) {
        expectRefusal(await door.send(presented, `GET ${SYSTEMS}`, SPOOFED), 503, 'service unavailable');
      }
    });

    test('without Latchkey itself neither: 503', async () => {
      await door.stopLatchkey();
      for (const presented of [someKey, undefined]) {
        expectRefusal(await door.send(presented, `GET ${SYSTEMS}`, SPOOFED), 503, 'service unavailable');
      }
    });
  });
}

function expectRefusal({ status, body, headers, seen }: Answer, expected: number, message: string): void {
  expect([status, body, seen]).toEqual([expected, JSON.stringify({ message }), undefined]);
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
}
