import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { accountFacts } from './account-facts.js';
import { OWN_HEADER } from './echo-backend.js';
import { type Answer, BURST, expectRefusal, GuardedBackend, SYSTEMS } from './guarded-backend.js';
import type { Recipe } from './recipe.js';
import { userTokenGuarantees } from './user-tokens.js';
import { SPOOFED, waysAround } from './ways-around.js';

/** The guarantees of every recipe, for every proxy. */
export function guarantees(recipe: Recipe): void {
  /** Credentials that are not keys, if Latchkey checks every request. */
  const noKeys = recipe.acceptsUserTokens ? [] : [undefined, 'nonsense'];
  let door: GuardedBackend;
  let someKey: string;
  beforeAll(async () => {
    door = await GuardedBackend.start(recipe);
    someKey = await door.newKey();
  });
  afterAll(() => door.stop());

  test('a good key is passed on as its owner, without the key string', async () => {
    const { id, person } = await door.newOwner({ permissions: ['systems:read', 'reports:read'] });
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
    expect(headers.get('latchkey-key-expires')).toBe(apiKey.expiresAt);
  });

  test('pages of other origins may read when the key expires, and what the backend exposes', async () => {
    const { headers } = await door.send(someKey, `GET ${SYSTEMS}`);
    const exposed = headers.get('access-control-expose-headers')!.split(/, */);
    expect(exposed.sort()).toEqual(['Latchkey-Key-Expires', OWN_HEADER]);
  });

  test('the backend gets the body of the request unchanged', async () => {
    const body = '{"name":"Orion"}';
    const { status, seen } = await door.send(
      await door.newKey(),
      `POST ${SYSTEMS}`,
      ['Content-Type: text/plain'],
      body,
    );
    expect([status, seen?.method, seen?.body]).toEqual([200, 'POST', body]);
  });

  test.each([
    ['with its length', []],
    ['in chunks', ['-H', 'Transfer-Encoding: chunked']],
    ['after 100 Continue', ['-H', 'Expect: 100-continue']],
  ])('the backend gets a body of 2 MB that comes %s', async (_, words) => {
    const file = join(tmpdir(), `body-${randomUUID()}`);
    writeFileSync(file, 'x'.repeat(2_000_000));
    const sent = ['-X', 'POST', '-H', 'Content-Type: text/plain', '--data-binary', `@${file}`, ...words];
    const { status, body } = await door.curl(await door.newKey(), SYSTEMS, ...sent);
    rmSync(file);
    expect([status, body?.length]).toEqual(['200', 2_000_000]);
  });

  test('a client gets the first event of a stream before the stream ends', async () => {
    const answer = await fetch(`${door.url}${SYSTEMS}/events`, {
      headers: { authorization: `Bearer ${await door.newKey()}` },
    });
    const reader = answer.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n');
    door.endStreams();
    expect((await reader.read()).done).toBe(true);
  });

  test('anything but a good key gets 401 without a reason', async () => {
    const answers = [
      ...(await Promise.all(noKeys.map((key) => door.send(key, `GET ${SYSTEMS}?access_token=${someKey}`)))),
      await door.send('lk_nonsense', `GET ${SYSTEMS}`),
      await door.send(unknownKey(), `GET ${SYSTEMS}`),
      await door.send(withWrongSecret(someKey), `GET ${SYSTEMS}`),
      await door.send(unknownKey(), 'GET /nowhere'),
    ];
    for (const answer of answers) {
      expectRefusal(answer, 401, 'invalid api key');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
    // No server may choose one of the two.
    const two = await door.send(someKey, `GET ${SYSTEMS}`, [`Authorization: Bearer ${someKey}`]);
    expect([400, 401]).toContain(two.status);
    expect(two.seen).toBeUndefined();
  });

  test('a good key gets 403 for what it may not do, with the missing permission', async () => {
    const readOnly = await door.newKey({ access: 'read-only' });
    const stranger = (await (await door.newOwner({ permissions: ['reports:read'] })).person.newKey()).fullKey;
    const answers = [
      [await door.send(readOnly, `POST ${SYSTEMS}`), ', scope="systems:write"'],
      [await door.send(stranger, `GET ${SYSTEMS}`), ', scope="systems:read"'],
      [await door.send(someKey, `DELETE ${SYSTEMS}/7`), ''],
      [await door.send(someKey, 'GET /backend/api/users'), ''],
    ] as const;
    for (const [answer, missing] of answers) {
      expectRefusal(answer, 403, 'operation not allowed');
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope"${missing}`);
      expect(answer.headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
      expect(answer.headers.get('latchkey-key-expires')).toBeNull();
    }
  });

  test('concurrent requests with different keys each get their own answer', async () => {
    const owners = [await door.newOwner(), await door.newOwner()];
    const keys = await Promise.all(owners.map(async ({ person }) => (await person.newKey()).fullKey));
    const keysInOrder = [...keys, unknownKey()].flatMap((key) => Array.from({ length: 15 }, () => key));
    const answers = await Promise.all(keysInOrder.map((key) => door.send(key, `GET ${SYSTEMS}`)));
    const outcomes = answers.map(({ status, body }) => [status, JSON.parse(body).headers?.['x-latchkey-owner']]);
    const expected = keysInOrder.map((key) => {
      const index = keys.indexOf(key);
      return index === -1 ? [401, undefined] : [200, owners[index]!.id];
    });
    expect(outcomes).toEqual(expected);
  });

  accountFacts(() => door);

  if (recipe.acceptsUserTokens) {
    userTokenGuarantees(
      () => door,
      () => someKey,
    );
  }

  waysAround(
    () => door,
    () => someKey,
    noKeys,
    recipe,
  );

  test('a key past its rate limit gets 429 and the time of the next attempt', async () => {
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

  test('the audit trail names the client, not the proxy', async () => {
    const { person } = await door.newOwner();
    const claims = ['User-Agent: Curious', 'X-Forwarded-For: 203.0.113.7', 'X-Real-IP: 203.0.113.7'];
    await door.send(withWrongSecret((await person.newKey()).fullKey), `GET ${SYSTEMS}`, claims);
    const { items } = await person.events('?limit=1');
    const clientIp = recipe.isEdge ? expect.stringMatching(/^(?!203)/) : '127.0.0.1';
    expect(items).toMatchObject([{ type: 'authentication.failed', clientIp, userAgent: 'Curious' }]);
  });

  describe('during an outage', () => {
    const expectOutage = (answer: Answer) => {
      // Over HTTP, Envoy answers for itself.
      if (recipe.isEdge) expect([answer.status, answer.body, answer.seen]).toEqual([503, '', undefined]);
      else expectRefusal(answer, 503, 'service unavailable');
    };

    test('every request gets 503 without PostgreSQL, and no key is called invalid', async () => {
      door.takeAwayPostgres();
      for (const presented of [someKey, unknownKey(), ...noKeys]) {
        expectOutage(await door.send(presented, `GET ${SYSTEMS}`, SPOOFED));
      }
    });

    test('every request gets 503 without Latchkey', async () => {
      await door.stopLatchkey();
      for (const presented of [someKey, ...noKeys]) {
        expectOutage(await door.send(presented, `GET ${SYSTEMS}`, SPOOFED));
      }
    });
  });
}
