import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { startServiceHere, type Service } from '../support/processes/service.js';

/** Characters that move a terminal's cursor, end a line or reverse text, except the line ends of the log. */
const ACTIVE = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

describe('hostile text', () => {
  let service: Service;
  let owner: Owner;
  let text = '';
  let spy: { mockRestore(): void };
  beforeAll(async () => {
    spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
      text += String(line);
      return true;
    });
    service = await startServiceHere({ LOG_LEVEL: 'debug' });
    owner = await newOwner(service);
  });
  afterAll(async () => {
    await service.stop();
    spy.mockRestore();
  });

  test.each([
    ['an image that runs a script', '<img src=x onerror=alert(1)>'],
    ['a script', '</script><script>alert(1)</script>'],
    ['a statement', `'; DROP TABLE api_keys; --`],
    ['a template', '${7*7}{{7*7}}<%= 7*7 %>'],
    ['a format', '%s%n%x%d'],
  ])('is stored and answered unchanged as the name of a key: %s', async (_, name) => {
    const { apiKey } = await owner.person.newKey({ name });
    const { headers, body } = await owner.person.call('GET', '/v1/api-keys?limit=1');
    expect(body.items).toMatchObject([{ id: apiKey.id, name }]);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    await owner.person.revoke(apiKey.id);
  });

  test.each<[string, string, string[]]>([
    ['a line break in the path', '/a%0a{"level":60,"msg":"forged"}', []],
    ['a line break in the query', '/a?b=%0d%0aforged', []],
    ['escape sequences in the path', '/%1b[2J%1b[31m', []],
    ['quotes in the path', '/"},{"msg":"forged', []],
    ['C1 controls in the path', '/%c2%9b31m%e2%80%aa', []],
    ['C1 controls in the user agent', '/', ['User-Agent: \u009b31m\u0085forged']],
    ['C1 controls in the request id', '/', ['X-Request-Id: \u009b31m\u0085forged']],
    ['C1 controls in the forwarded address', '/', ['X-Forwarded-For: \u009b31m\u0085forged']],
  ])('makes one log entry without control characters: %s', async (_, path, headers) => {
    text = '';
    await rawRequest(service, `GET ${path}`, headers);
    await eventually(async () => text.includes('"msg":"request"'));
    const entries = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(entries.filter(({ msg }) => msg === 'request')).toHaveLength(1);
    expect(entries.filter(({ msg }) => msg === 'forged')).toEqual([]);
    expect(text).not.toMatch(ACTIVE);
  });

  test.each([
    ['a C1 control', '/a\u009b31m\u0085b'],
    ['a line separator in UTF-8', `/${Buffer.from('\u2028\u202Ea').toString('latin1')}`],
    ['a NUL', '/a\0b'],
    ['an escape', '/\u001b[31m'],
  ])('is answered 400 and not logged when a path contains %s without percent-encoding', async (_, path) => {
    text = '';
    expect((await rawRequest(service, `GET ${path}`, [])).status).toBe(400);
    await service.person().call('GET', '/livez');
    await eventually(async () => text.includes('/livez'));
    expect(text.match(/"msg":"request"/g)).toHaveLength(1);
  });

  test.each<[string, string, number]>([
    ['a NUL', 'lk_\0', 400],
    ['a carriage return', 'lk_\rX: y', 400],
    ['a line break and another header', 'lk_\r\nX-Owner-Id: demo', 401],
    ['bytes past ASCII', 'lk_\u00e9\u00ff', 401],
    ['eight kilobytes', 'a'.repeat(8 * 1024), 401],
  ])('is refused as a key with %s, and the service keeps working', async (_, key, expected) => {
    const { status } = await rawRequest(service, 'GET /v1/api-keys', [`Authorization: Bearer ${key}`]);
    expect(status).toBe(expected);
    expect((await owner.person.call('GET', '/v1/session')).status).toBe(200);
  });

  test('is refused as a key of one megabyte before it is read completely', async () => {
    const request = rawRequest(service, 'GET /v1/api-keys', [`Authorization: Bearer ${'a'.repeat(1024 * 1024)}`]);
    // A client that is still sending when the connection closes may never see the 431.
    const refusal = await request.then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    expect([431, 'ECONNRESET', 'EPIPE']).toContain(refusal);
    expect((await owner.person.call('GET', '/v1/session')).status).toBe(200);
  });

  test('in headers that claim to be the owner is ignored', async () => {
    const stranger = await newOwner(service);
    const claims = { 'x-owner-id': owner.id, 'x-user-id': owner.id, 'x-forwarded-user': owner.id };
    const { body } = await stranger.person.call('GET', '/v1/session', undefined, claims);
    expect(body.ownerId).toBe(stranger.id);
  });
});
