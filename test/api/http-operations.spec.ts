import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { ADMIN, ADMIN_PROFILE, ADMIN_ROUTES, MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';
import { newOwner } from '../support/callers/owners.js';
import type { Person } from '../support/callers/person.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const NOTHING_HERE = {
  type: 'urn:latchkey:problem:not-found',
  title: 'Not found',
  status: 404,
  detail: 'There is nothing at this address',
  code: 'not_found',
};

describe('the HTTP door', () => {
  let service: Service;
  let demo: Person;
  beforeAll(async () => {
    service = await startService(ADMIN);
    demo = await service.person().signIn();
  });
  afterAll(() => service.stop());

  const get = (path: string) => service.person().call('GET', path);

  test('answers 200 on /livez and /readyz', async () => {
    expect(await get('/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  test('counts validations by outcome on /metrics, and names no key', async () => {
    const counts = async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      expect(text).not.toMatch(/lk_|[0-9a-f]{24}/);
      return new Map(
        [...text.matchAll(/^latchkey_validations_total\{(.*)\} (\d+)$/gm)].map((m) => [m[1], Number(m[2])]),
      );
    };
    const { fullKey } = await demo.newKey();
    const before = await counts();
    for (const key of [fullKey, fullKey, unknownKey(), 'lk_nonsense']) await service.clients.validate(key);
    await service.clients.validate(fullKey, { operation: 'OPERATION_DESTROY' });
    const after = await counts();
    const changed = [...after].filter(([label, count]) => count !== before.get(label));
    expect(Object.fromEntries(changed.map(([label, count]) => [label, count - before.get(label)!]))).toEqual({
      'outcome="granted",reason=""': 2,
      'outcome="denied",reason="invalid-key"': 2,
      'outcome="denied",reason="operation-not-allowed"': 1,
    });
  });

  test('redirects / to the settings screen', async () => {
    const home = await get('/');
    expect([home.status, home.headers.get('location')]).toEqual([302, '/settings/api-keys']);
    const page = await get('/settings/api-keys');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test.each([
    ['GET', '/nothing'],
    ['GET', '/v1'],
    ['GET', '/v1/api-keys/x/y'],
    ['DELETE', '/v1/api-keys/x'],
    ['POST', '/v1/nothing'],
    ['GET', '/v2/api-keys'],
    ['GET', '/.env'],
    ['GET', '/settings/../../etc/passwd'],
    ['DELETE', '/v1/api-keys'],
    ['PUT', '/v1/session'],
    ['PATCH', '/v1/api-keys'],
    ['POST', '/v1/audit-events'],
    ['DELETE', '/v1/audit-events'],
  ])('answers 404 as a problem for %s %s, signed in or not', async (method, path) => {
    for (const person of [service.person(), demo]) {
      const { status, headers, body } = await person.call(method, path);
      expect(status).toBe(404);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(body).toEqual(NOTHING_HERE);
    }
  });

  describe('on every route', () => {
    const ID = '6d5c02a4-0f4c-4a4e-8a0e-0f5fbd5f6f0a';
    let routes: [string, string][];
    beforeAll(async () => {
      const { paths } = (await get('/openapi.json')).body as { paths: Record<string, object> };
      const page = await (await fetch(`${service.url}/settings/api-keys`)).text();
      const files = [
        '/docs/assets/swagger-ui.css',
        '/docs/assets/start.js',
        /\/settings\/assets\/[^"]+\.js/.exec(page)![0],
      ];
      const others = ['/openapi.json', '/docs', '/settings/api-keys', ...files];
      routes = Object.entries(paths)
        .flatMap(([path, methods]) => Object.keys(methods).map((method): [string, string] => [method, path]))
        .concat(others.map((path) => ['get', path]))
        .map(([method, path]) => [method.toUpperCase(), path.replace('{id}', ID)]);
    });
    const reporter = { authorization: 'dev-reporter-token' };

    test.each<[string, (path: string) => string]>([
      ['a slash at the end', (path) => `${path}/`],
      ['two slashes at the end', (path) => `${path}//`],
      ['two slashes at the beginning', (path) => `/${path}`],
      ['two slashes before the last segment', (path) => path.replace(/\/(?=[^/]+$)/, '//')],
      ['an encoded slash', (path) => path.replace(/(?<=\w)\/(?=[^/]+$)/, '%2F')],
      ['an encoded slash at the end', (path) => (path.endsWith(ID) ? path : `${path}%2F`)],
      ['an encoded letter', (path) => path.replace(/\/[a-z]/, (first) => `/%${first.charCodeAt(1).toString(16)}`)],
      ['capitals', (path) => path.replaceAll(/\/[a-z][^/]*/g, (segment) => segment.toUpperCase())],
      ['a path below it', (path) => `${path}/below/it`],
      ['a path that a proxy would shorten to another one', (path) => `${path}/..;/below`],
    ])('answers 404 to a path with %s', async (_, spelled) => {
      expect(routes.length).toBeGreaterThan(30);
      const found = [];
      for (const [method, path] of routes) {
        const line = `${method} ${spelled(path)}`;
        if (line === `${method} ${path}`) continue;
        const { status } = await service.person().call(method, spelled(path), undefined, reporter);
        if (status !== 404) found.push(`${line}: ${status}`);
      }
      expect(found).toEqual([]);
    });
  });

  test('answers HEAD like GET, without a body', async () => {
    expect(await demo.call('HEAD', '/v1/api-keys')).toMatchObject({ status: 200, body: undefined });
    expect((await service.person().call('HEAD', '/v1/api-keys')).status).toBe(401);
  });
});

describe('/openapi.json', () => {
  let service: Service;
  let document: any; // eslint-disable-line @typescript-eslint/no-explicit-any
  beforeAll(async () => {
    service = await startService(ADMIN);
    const answer = await service.person().call('GET', '/openapi.json');
    expect(answer.status).toBe(200);
    document = answer.body;
  });
  afterAll(() => service.stop());

  interface Operation {
    readonly operationId: string;
    readonly parameters?: { name: string; in: string; required?: boolean; schema?: object }[];
    readonly responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
  }
  const operations = (): [string, Operation][] =>
    Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );

  test('is an OpenAPI 3 document in which every reference leads somewhere', () => {
    expect(document.openapi).toMatch(/^3\.\d\.\d$/);
    expect(document.info).toMatchObject({ title: 'Latchkey', version: expect.any(String) });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]+)"/g)].map(([, pointer]) => pointer!);
    expect(references.length).toBeGreaterThan(10);
    for (const pointer of new Set(references)) {
      const target = pointer
        .slice(2)
        .split('/')
        .reduce((node, part) => node?.[part], document);
      expect({ pointer, target }).toEqual({ pointer, target: expect.any(Object) });
    }
  });

  test('gives every operation an id, described answers and every path parameter', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, { responses, parameters = [] }] of operations()) {
      expect(Object.keys(responses).length).toBeGreaterThan(0);
      for (const [status, { description }] of Object.entries(responses)) {
        expect(status).toMatch(/^([1-5]\d\d|default)$/);
        expect(typeof description).toBe('string');
      }
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      expect(declared.map((parameter) => parameter.name)).toEqual(inPath);
      for (const parameter of declared) expect(parameter.required).toBe(true);
    }
  });

  /** The statuses of each route, by the contract and the specs next to this one. Any route may also answer 503. */
  test.each([
    ['GET /v1/session', [200, 401, 403, 429]],
    ['POST /v1/session', [204, 400, 401, 403, 413, 415, 429]],
    ['DELETE /v1/session', [204, 401, 403, 429]],
    ['GET /v1/api-keys', [200, 400, 401, 403, 429]],
    ['POST /v1/api-keys', [201, 400, 401, 403, 409, 413, 415, 429]],
    ['GET /v1/api-keys/{id}', [200, 401, 403, 404, 429]],
    ['POST /v1/api-keys/{id}/revoke', [200, 401, 403, 404, 409, 429]],
    ['GET /v1/audit-events', [200, 400, 401, 403, 429]],
    ['POST /v1/introspect', [200, 400, 401, 403, 413, 415, 429]],
  ])('lists %s with every status that it answers', (name, statuses) => {
    const [, operation] = operations().find(([listed]) => listed === name)!;
    expect(Object.keys(operation.responses).map(Number).sort()).toEqual(
      expect.arrayContaining([...statuses, 503].sort()),
    );
    for (const [status, { content }] of Object.entries(operation.responses)) {
      if (Number(status) >= 400) expect(Object.keys(content!)).toEqual(['application/problem+json']);
    }
  });

  test('describes exactly the fields that the management routes answer', async () => {
    const owner = await newOwner(service, ADMIN_PROFILE);
    const [one, other] = [await owner.person.newKey(), await owner.person.newKey()];
    const ofAdmin = ADMIN_ROUTES.map((route) => ({ ...route, keyId: one.apiKey.id }));
    const ofOwner = MANAGEMENT_ROUTES.map((route) => ({ ...route, keyId: other.apiKey.id }));
    for (const { name, method, success, order, keyId } of [...ofAdmin, ...ofOwner]) {
      const { path, body } = order(owner, keyId);
      const answer = await owner.person.call(method, path, body);
      expect(answer.status).toBe(success);
      const [, operation] = operations().find(([listed]) => listed === name)!;
      const schema = operation.responses[success]!.content?.['application/json']?.schema as
        | { $ref: string }
        | undefined;
      if (success === 204) expect([schema, answer.body]).toEqual([undefined, undefined]);
      else {
        const { properties, required } = document.components.schemas[schema!.$ref.split('/').at(-1)!];
        expect(Object.keys(answer.body).sort()).toEqual(Object.keys(properties).sort());
        expect(required.sort()).toEqual(Object.keys(properties).sort());
      }
      if (name.startsWith('DELETE')) await owner.person.signIn(owner.email);
    }
  });
});

describe('a service without its database', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  test('answers 503 on /readyz and all management routes, and recovers by itself', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const name = new URL(service.databaseUrl).pathname.slice(1);
    const server = new URL(service.databaseUrl);
    server.pathname = '/postgres';
    const readiness = async () => (await service.person().call('GET', '/readyz')).status;
    try {
      await sql(server.href, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await sql(server.href, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await eventually(async () => (await readiness()) === 503);
      expect((await service.person().call('GET', '/livez')).status).toBe(200);
      const owner = { id: '', email: 'demo@latchkey.dev', person };
      for (const { method, order } of MANAGEMENT_ROUTES) {
        const { path, body } = order(owner, apiKey.id);
        const answer = await person.call(method, path, body);
        expect(answer).toMatchObject({ status: 503, body: { status: 503, code: 'unavailable' } });
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(JSON.stringify(answer.body)).not.toMatch(/postgres|suite_|127\.0\.0\.1/);
      }
      const bearer = { authorization: 'Bearer nonsense' };
      expect((await service.person().call('GET', '/v1/api-keys', undefined, bearer)).status).toBe(503);
    } finally {
      await sql(server.href, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    }
    await eventually(async () => (await readiness()) === 200);
    expect((await person.list()).items).toEqual([apiKey]);
  });
});
