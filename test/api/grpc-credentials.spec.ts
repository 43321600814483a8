import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ValidateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const INVALID = { reason: 'REASON_INVALID_KEY', httpStatus: 401, message: 'invalid api key', retryAfter: null };

describe('the credential of a validation', () => {
  let service: Service;
  let owner: Owner;
  let key: string;
  let keyId: string;
  beforeAll(async () => {
    service = await sharedService();
    owner = await newOwner(service);
    const { apiKey, fullKey } = await owner.person.newKey();
    key = fullKey;
    keyId = apiKey.id;
  });
  afterAll(() => service.stop());

  /** Expects the answer INVALID_KEY, and one event under this request id that contains what was known. */
  async function expectRefusal(request: ValidateKeyRequest, known: object = {}): Promise<void> {
    const requestId = randomUUID();
    const answer = await service.clients.validateRequest({ operation: 'OPERATION_READ', requestId, ...request });
    expect(answer).toMatchObject({ requestId, denial: INVALID, rateLimit: null });
    const events = await sql(
      service.databaseUrl,
      `SELECT type, reason, count, owner_id, key_id, public_part FROM audit_events WHERE request_id = $1`,
      [requestId],
    );
    const nobody = { owner_id: null, key_id: null, public_part: null };
    const event = { type: 'authentication.failed', reason: 'invalid-key', count: 1, ...nobody, ...known };
    expect(events).toEqual([event]);
  }

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'is accepted in the authorization field with the scheme %s',
    async (scheme) => {
      const { grant } = await service.clients.validateRequest({
        authorization: `${scheme} ${key}`,
        operation: 'OPERATION_READ',
      });
      expect(grant?.keyId).toBe(keyId);
    },
  );

  test.each([
    ['empty', () => ''],
    ['the bare key', () => key],
    ['a scheme without a key', () => 'Bearer'],
    ['a scheme and a space', () => 'Bearer '],
    ['two spaces', () => `Bearer  ${key}`],
    ['a tab for the space', () => `Bearer\t${key}`],
    ['a space before', () => ` Bearer ${key}`],
    ['a space after', () => `Bearer ${key} `],
    ['a line break after', () => `Bearer ${key}\r\n`],
    ['Basic', () => `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['Basic with the plain key', () => `Basic ${key}`],
    ['two headers joined', () => `Bearer ${key}, Bearer ${key}`],
    ['the scheme twice', () => `Bearer Bearer ${key}`],
  ])('is refused and recorded when the authorization field is %s', async (_, authorization) => {
    await expectRefusal({ authorization: authorization() });
  });

  test.each([
    ['empty', () => ''],
    ['a space before', () => ` ${key}`],
    ['a space after', () => `${key} `],
    ['a line break after', () => `${key}\n`],
    ['a CRLF after', () => `${key}\r\n`],
    ['a NUL after', () => `${key}\0`],
    ['a NUL inside', () => `${key.slice(0, 40)}\0${key.slice(41)}`],
    ['a byte order mark before', () => `\uFEFF${key}`],
    ['no prefix', () => key.slice('lk_'.length)],
    ['another prefix', () => unknownKey('ok')],
    ['a longer prefix', () => `x${key}`],
    ['capital letters', () => key.toUpperCase()],
    ['a capital prefix', () => key.replace('lk_', 'LK_')],
    [
      'digits that only look the same',
      () => key.replace(/\d/, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
    ['half of it', () => key.slice(0, key.length / 2)],
    ['it twice', () => key + key],
    ['the public part alone', () => key.slice(0, key.indexOf('.') + 1)],
    ['a lone surrogate', () => `${key.slice(0, -1)}\uD800`],
    ['60,000 characters', () => 'a'.repeat(60_000)],
    ['the scheme before it', () => `Bearer ${key}`],
  ])('is refused and recorded when the key is %s', async (_, apiKey) => {
    await expectRefusal({ apiKey: apiKey() });
  });

  test('is refused when any one character of the key is changed', async () => {
    const swap = (character: string) => (character === '0' ? '1' : '0');
    const changed = Array.from(key, (character, at) => key.slice(0, at) + swap(character) + key.slice(at + 1));
    const answers = await Promise.all(changed.map((apiKey) => service.clients.validate(apiKey)));
    expect(answers.filter(({ denial }) => denial?.reason !== 'REASON_INVALID_KEY')).toEqual([]);
    expect(answers).toHaveLength(92);
  });

  test('is recorded with the key that its public part names', async () => {
    const unknown = unknownKey();
    await expectRefusal({ apiKey: unknown }, { public_part: unknown.slice(3, 27) });
    const wrong = withWrongSecret(key);
    await expectRefusal({ apiKey: wrong }, { public_part: key.slice(3, 27), key_id: keyId, owner_id: owner.id });
  });

  test('is not stored: no table contains a secret part', async () => {
    const secret = key.slice(key.indexOf('.') + 1);
    await service.clients.validate(`${key}x`, { userAgent: `curl ${key}`, requestId: key, clientIp: key });
    const tables = await sql<{ name: string }>(
      service.databaseUrl,
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    expect(tables.length).toBeGreaterThanOrEqual(6);
    for (const { name } of tables) {
      const hits = await sql(service.databaseUrl, `SELECT 1 FROM ${name} AS t WHERE t::text LIKE $1`, [
        `%${secret.slice(0, 16)}%`,
      ]);
      expect({ table: name, hits: hits.length }).toEqual({ table: name, hits: 0 });
    }
  });
});

describe('the client that a validation names', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  interface Kept {
    client_ip: string | null;
    user_agent: string | null;
    request_id: string | null;
  }
  async function kept(request: ValidateKeyRequest): Promise<Kept> {
    const apiKey = unknownKey();
    const answer = await service.clients.validate(apiKey, request);
    expect(answer.denial).toMatchObject(INVALID);
    const [row, ...others] = await sql<Kept>(
      service.databaseUrl,
      `SELECT client_ip, user_agent, request_id FROM audit_events WHERE public_part = $1`,
      [apiKey.slice(3, 27)],
    );
    expect(others).toEqual([]);
    return row!;
  }

  test('is recorded unchanged when it is well-formed', async () => {
    const request = { clientIp: '203.0.113.7', userAgent: 'curl/8.5 (Ünïcode 🗝)', requestId: 'req-1' };
    expect(await kept(request)).toEqual({
      client_ip: '203.0.113.7',
      user_agent: 'curl/8.5 (Ünïcode 🗝)',
      request_id: 'req-1',
    });
  });

  test.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', null],
    ['203.0.113.7, 10.0.0.1', null],
    ['203.0.113.7\0', null],
    ['203.0.113.7\r\nX: y', null],
    ['\uD800', null],
    ["'; DROP TABLE audit_events; --", null],
    ['1'.repeat(10_000), null],
  ])('is recorded with its address, or with none if it is malformed: %j', async (clientIp, expected) => {
    expect((await kept({ clientIp })).client_ip).toBe(expected);
  });

  test.each([
    ['NUL', 'a\0b', 'ab'],
    ['CRLF', 'a\r\nb', 'ab'],
    ['escape sequences', '\u001B[31mred\u009Bm', '[31mredm'],
    ['line separators', 'a\u2028b\u2029c', 'abc'],
    ['control characters only', '\0\r\n', null],
    ['10,000 characters', 'x'.repeat(10_000), 'x'.repeat(256)],
    ['10,000 characters of two units each', '🗝'.repeat(10_000), '🗝'.repeat(256)],
    ['half a character at the cut', `${'x'.repeat(255)}🗝🗝`, `${'x'.repeat(255)}🗝`],
  ])('is recorded with a cleaned user agent when it contains %s', async (_, userAgent, expected) => {
    expect((await kept({ userAgent })).user_agent).toBe(expected);
  });

  test('is recorded without lone surrogates, in any place', async () => {
    for (const text of ['\uD800', 'a\uDC00b', '\uDC00\uD800']) {
      const row = await kept({ userAgent: `x${text}`, clientIp: text, requestId: `x${text}` });
      expect(row.client_ip).toBeNull();
      for (const value of [row.user_agent, row.request_id]) expect(value).not.toMatch(/\p{Cs}/u);
    }
  });

  test.each(['', 'r1', 'x'.repeat(10_000), 'a\0b\r\nc', '日本語 🗝'])(
    'gets its request id back unchanged: %#',
    async (requestId) => {
      const { fullKey } = await (await newOwner(service)).person.newKey();
      expect((await service.clients.validate(fullKey, { requestId })).requestId).toBe(requestId);
      expect((await service.clients.validate(unknownKey(), { requestId })).requestId).toBe(requestId);
    },
  );
});
