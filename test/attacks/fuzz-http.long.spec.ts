import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../support/eventually.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { startService, type Service } from '../support/processes/service.js';
import { shortOrLong } from '../support/jest/long-form.js';

const TRIES = shortOrLong(30, 2000);
/** Fewer than may wait for a password check; with more, some would be answered 503. */
const AT_ONCE = 10;
const RAW_AT_ONCE = 100;

/** Half a surrogate pair can't be percent-encoded. */
const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, '\uFFFD');
const anyOr = <T>(good: T) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.jsonValue() });
const nearlyRight = fc.record(
  {
    name: fc.oneof(fc.string({ unit: 'binary', maxLength: 70 }), anyOr('CI')),
    access: anyOr('read-only'),
    expiresInDays: fc.oneof(fc.integer(), fc.double(), anyOr(1)),
    password: anyOr(PASSWORD),
    email: anyOr('nobody@example.com'),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 4, arbitrary: nearlyRight.map((order) => JSON.stringify(order)) },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
);
const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('active', '1', '0', '-1', 'NaN', '{}'),
);
const position = fc.oneof(word, fc.constantFrom('2026-02-30T00:00:00.000Z', '9007199254740993', '\0'));
const cursor = fc
  .oneof(fc.tuple(position), fc.tuple(position, position), fc.array(fc.jsonValue(), { maxLength: 3 }))
  .map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url'));
const pair = fc.oneof(
  fc.tuple(fc.constant('cursor'), cursor),
  fc.tuple(fc.constantFrom('limit', 'cursor', 'status', '__proto__', 'x[y]'), word),
);
const query = fc
  .array(pair, { maxLength: 2 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(wellFormed(value))}`).join('&'));
/** Latin-1 without the bytes that end a header. */
const headerValue = fc
  .array(
    fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f),
    { maxLength: 40 },
  )
  .map((codes) => String.fromCharCode(...codes).trim());
const headers = fc.dictionary(
  fc.constantFrom('x-request-id', 'idempotency-key', 'user-agent', 'accept', 'x-forwarded-for', 'origin'),
  headerValue,
  { maxKeys: 2 },
);

/** A 503 means that the machine is too busy to look something up or record it in time. A 503 that stays is a fault. */
async function settled(send: () => Promise<number>): Promise<number> {
  const status = await send();
  if (status !== 503) return status;
  return eventually(async () => {
    const again = await send();
    return again !== 503 && again;
  });
}

describe('random HTTP requests', () => {
  let service: Service;
  let owner: Owner;
  let routes: { method: string; path: string }[];
  beforeAll(async () => {
    service = await startService();
    owner = await newOwner(service);
    const { paths } = (await service.person().call('GET', '/openapi.json')).body as { paths: Record<string, object> };
    routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    );
  });
  afterAll(() => service.stop());

  const order = fc.record({ body, query, headers, id: fc.oneof(fc.uuid(), word) });

  test(`cause no server error on any route with a session, in ${TRIES} tries each`, async () => {
    const counts: Record<number, number> = {};
    const faults: unknown[] = [];
    for (const { method, path } of routes) {
      const all = fc.sample(order, TRIES);
      for (let start = 0; start < TRIES; start += AT_ONCE) {
        const answers = all.slice(start, start + AT_ONCE).map(async ({ body, query, headers, id }) => {
          const filled = path.replace('{id}', encodeURIComponent(wellFormed(id)));
          const sent = method === 'GET' ? undefined : body;
          // Signing out, or signing in as another person, would end the session that all other requests need.
          const cookie = path === '/v1/session' && method !== 'GET' ? 'latchkey_session=x' : owner.person.cookie;
          const send = () => service.person().call(method, `${filled}?${query}`, sent, { ...headers, cookie });
          const status = await settled(async () => (await send()).status);
          counts[status] = (counts[status] ?? 0) + 1;
          if (status >= 500) faults.push({ method, path: filled, query, headers, sent, status });
        });
        await Promise.all(answers);
      }
    }
    expect(faults).toEqual([]);
    expect(routes.length).toBeGreaterThanOrEqual(10);
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['200', '400', '404']));
    expect((await owner.person.call('GET', '/v1/session')).status).toBe(200);
  });

  test(`cause no server error as random bytes, in ${TRIES} tries`, async () => {
    const bytes = fc
      .array(fc.integer({ min: 0, max: 0xff }), { maxLength: 60 })
      .map((codes) => String.fromCharCode(...codes));
    const all = fc.sample(fc.tuple(bytes, bytes, headerValue), TRIES);
    for (let start = 0; start < TRIES; start += RAW_AT_ONCE) {
      const answers = all.slice(start, start + RAW_AT_ONCE).map(async ([path, cookie, credential]) => {
        const requests: [string, string][] = [
          [`GET /${path}`, `Cookie: latchkey_session=${cookie}`],
          ['GET /v1/api-keys', `Authorization: Bearer ${credential}`],
        ];
        for (const [line, header] of requests) {
          const status = await settled(async () => (await rawRequest(service, line, [header])).status);
          expect(status >= 500 ? { line, header, status } : undefined).toBeUndefined();
        }
      });
      await Promise.all(answers);
    }
    expect((await owner.person.call('GET', '/v1/session')).status).toBe(200);
  });
});
