import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/lib/ports.mjs';
import { headersOf } from '../support/callers/forward-auth.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { startService, type Service } from '../support/processes/service.js';
import { OVERRIDES } from './overrides.js';
import { ExtAuthz } from './support/ext-authz.js';
import { SPOOFED } from './ways-around.js';

/** Two services with equal paths, and one that needs no permission. */
const ROUTES = [
  { method: 'GET', host: 'orders.example.com', path: '/systems/{id}', permission: 'systems/{id}:read' },
  { method: '*', host: 'orders.example.com', path: '/systems/**', permission: 'systems:write' },
  { method: 'GET', host: 'stock.example.com', path: '/systems/**', permission: 'stock:read' },
  { method: '*', path: '/open/**', permission: '' },
];

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string | undefined;
  readonly headers?: readonly string[];
  readonly body?: string;
}
interface Answer {
  readonly status: number;
  /** That the service behind the gateway gets. */
  readonly identity: Readonly<Record<string, string | undefined>>;
  readonly head: string;
}
type Ask = (key: string | undefined, sent?: Sent) => Promise<Answer>;

const authorization = (key: string | undefined) => (key === undefined ? [] : [`Authorization: Bearer ${key}`]);

describe('gateways that can say no permission', () => {
  let service: Service;
  let envoy: ExtAuthz;
  let edgeUrl: string;
  let owner: Owner;
  let key: string;
  let readOnly: string;
  beforeAll(async () => {
    const routes = join(mkdtempSync(join(tmpdir(), 'edges-')), 'routes.json');
    writeFileSync(routes, JSON.stringify(ROUTES));
    const port = await freePort();
    edgeUrl = `http://127.0.0.1:${port}`;
    service = await startService({
      FORWARD_AUTH_ROUTES: routes,
      EXT_AUTHZ_ROUTES: 'on',
      EDGE_PORT: String(port),
      TRUSTED_PROXIES: 'loopback',
      RATE_LIMIT_PER_SECOND: '1000000',
      RATE_LIMIT_BURST: '1000000',
    });
    envoy = new ExtAuthz(service.grpcTarget, bearer('dev-validator-token'));
    owner = await newOwner(service, { permissions: ['systems:read', 'systems:write'] });
    key = (await owner.person.newKey()).fullKey;
    readOnly = (await owner.person.newKey({ access: 'read-only' })).fullKey;
  });
  afterAll(async () => {
    envoy.close();
    await service.stop();
  });

  const extAuthz: Ask = async (
    presented,
    { method = 'GET', target = '/systems/7', host = 'orders.example.com', headers = [] } = {},
  ) => {
    const pairs = [...authorization(presented), ...headers].map(
      (header) => header.split(/: ?(.*)/, 2) as [string, string],
    );
    const named = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    const { status, forwarded } = await envoy.pass({ method, path: target, host, headers: named }, {});
    return { status, identity: forwarded ?? {}, head: '' };
  };
  const edge: Ask = async (
    presented,
    { method = 'GET', target = '/systems/7', host = 'orders.example.com', headers = [], body } = {},
  ) => {
    const sent = [...authorization(presented), ...headers];
    const answer = await rawRequest({ url: edgeUrl }, `${method} ${target}`, sent, body, host);
    return { status: answer.status, identity: answer.status === 200 ? headersOf(answer.head) : {}, head: answer.head };
  };

  describe.each([
    ['ext_authz by the routes', extAuthz],
    ['the edge door', edge],
  ] as const)('%s', (name, ask) => {
    test('grants what the routes name, with the identity of the key', async () => {
      const { status, identity } = await ask(key);
      expect([status, identity['x-latchkey-owner'], identity['x-latchkey-access']]).toEqual([
        200,
        owner.id,
        'read-and-write',
      ]);
      expect((await ask(key, { target: '/systems/7?a=/../b' })).status).toBe(200);
      expect((await ask(key, { method: 'POST', target: '/systems' })).status).toBe(200);
      expect((await ask(readOnly, { method: 'HEAD', target: '/systems/7' })).status).toBe(200);
    });

    test('refuses everything else', async () => {
      const statuses = [
        await ask(undefined),
        await ask(unknownKey()),
        await ask(withWrongSecret(key)),
        await ask(unknownKey(), { target: '/nowhere' }),
        await ask(readOnly, { method: 'POST', target: '/systems' }),
        await ask(key, { method: 'DELETE' }),
        await ask(key, { target: '/nowhere' }),
        await ask(key, { target: '/livez' }),
        await ask(key, { target: '/metrics' }),
        await ask(key, { target: '/v1/forward-auth?mode=caddy' }),
        await ask(undefined, { target: '/livez' }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([401, 401, 401, 401, 403, 403, 403, 403, 403, 403, 401]);
    });

    test('takes the segment {id} into the permission', async () => {
      const { fullKey } = await owner.person.newKey({ permissions: ['systems/7:read'] });
      const statuses = await Promise.all(
        ['/systems/7', '/systems/8', '/systems/7%20'].map((target) => ask(fullKey, { target })),
      );
      expect(statuses.map(({ status }) => status)).toEqual([200, 403, 403]);
    });

    test.each([
      ['orders.example.com', 200],
      ['ORDERS.example.com:8443', 200],
      ['orders.example.com.', 200],
      ['stock.example.com', 403],
      ['other.example.com', 403],
      ['orders.example.com@stock.example.com', 403],
    ])('tells two services with equal paths apart: %s', async (host, status) => {
      expect((await ask(key, { host })).status).toBe(status);
    });

    test.each([
      '/systems/../open/x',
      '/open/../systems/7',
      '/../livez',
      '/open/%2e%2e/systems',
      '/open/..%2fsystems',
      '/open/%252e%252e/systems',
      '/open//x',
      '//open/x',
      '/open/;/x',
      '/open/%5c..',
      '/%6fpen/x',
      '/open/x#y',
      'http://orders.example.com/open/x',
      'http:///open/x',
      '//',
      '*',
      'open/x',
      '?/open/x',
    ])('refuses the target %s', async (target) => {
      // Node itself refuses some.
      expect([400, 403]).toContain((await ask(key, { target })).status);
    });

    test('believes no header that names another request or an identity', async () => {
      const claims = [
        ...SPOOFED.map((header) => header.replace('/backend/api/systems', '/open/x')),
        ...OVERRIDES.map((header) => `${header}: GET`),
        'X-Forwarded-Host: orders.example.com',
        'X-Envoy-Original-Path: /open/x',
      ];
      for (const headers of [
        claims,
        [...claims, `Connection: ${claims.map((claim) => claim.split(':')[0]).join(', ')}`],
      ]) {
        expect((await ask(readOnly, { method: 'POST', target: '/systems', headers })).status).toBe(403);
        expect((await ask(key, { target: '/nowhere', headers })).status).toBe(403);
        expect((await ask(key, { host: 'stock.example.com', headers })).status).toBe(403);
        expect((await ask(undefined, { headers })).status).toBe(401);
        const { status, identity } = await ask(key, { headers });
        expect([status, identity['x-latchkey-owner'], identity['x-latchkey-attributes']]).toEqual([200, owner.id, '']);
        expect(identity['x-latchkey-permissions']).toBe('systems:read systems:write');
      }
    });

    test('answers a preflight like any request', async () => {
      const headers = ['Origin: https://app.example.com', 'Access-Control-Request-Method: GET'];
      const { status, head } = await ask(undefined, { method: 'OPTIONS', target: '/open/x', headers });
      expect(status).toBe(401);
      expect(head).not.toMatch(/access-control-allow/i);
      expect((await ask(key, { method: 'OPTIONS', target: '/open/x', headers })).status).toBe(200);
    });

    test.each(['get', 'PROPFIND', 'TRACE'])('refuses the method %s', async (method) => {
      expect([400, 403]).toContain((await ask(key, { method, target: '/open/x' })).status);
    });

    test('finds a key that is limited to networks only where it may know the address', async () => {
      const { person } = await newOwner(service);
      const here = (await person.newKey({ allowedNetworks: ['198.51.100.0/24'] })).fullKey;
      const seen = await ask(here, { headers: ['X-Forwarded-For: 198.51.100.7'] });
      // Envoy names its peer itself, and this header names another one.
      expect(seen.status).toBe(name === 'the edge door' ? 200 : 403);
      expect((await ask(here)).status).toBe(403);
      expect((await ask(here, { headers: ['X-Real-IP: 198.51.100.7'] })).status).toBe(403);
    });
  });

  test('a permission that a route of Envoy names wins over the routes', async () => {
    const headers = { authorization: `Bearer ${readOnly}` };
    const sent = { method: 'GET', path: '/nowhere', headers };
    expect((await envoy.pass(sent, { permission: 'systems:read' })).status).toBe(200);
    expect((await envoy.pass({ ...sent, path: '/open/x' }, { permission: 'stock:read' })).status).toBe(403);
    expect((await envoy.pass({ ...sent, path: '/open/x' }, { permission: 'no permission' })).status).toBe(403);
    expect((await envoy.pass({ ...sent, path: '/open/x' }, { operation: 'read' })).status).toBe(200);
  });

  describe('the edge door', () => {
    test('is the only thing that answers on its port, and is nowhere else', async () => {
      for (const target of [
        '/',
        '/livez',
        '/readyz',
        '/metrics',
        '/docs',
        '/openapi.json',
        '/settings/api-keys',
        '/v1/session',
      ]) {
        expect((await edge(undefined, { target })).status).toBe(401);
      }
      expect((await rawRequest(service, 'GET /open/x', authorization(key))).status).toBe(404);
    });

    test('reads no body, and neither a body nor Expect gets another request through', async () => {
      const body = 'GET /open/x HTTP/1.1\r\nHost: a\r\n\r\n';
      const headers = [`Content-Length: ${body.length}`, 'Expect: 100-continue'];
      const { status, head } = await edge(undefined, { method: 'POST', target: '/open/x', headers, body });
      expect([status, head.match(/HTTP\/1\.1/g)?.length]).toEqual([401, 1]);
      expect(head).toMatch(/^connection: close$/im);
      expect((await edge(key, { method: 'POST', target: '/open/x', headers: ['Content-Length: 5'] })).status).toBe(200);
    });

    test('names the headers that Envoy removes before a request reaches the service', async () => {
      const removed = /^x-envoy-auth-headers-to-remove: authorization$/im;
      expect((await edge(key)).head).toMatch(removed);
      expect((await edge(undefined)).head).not.toMatch(removed);
    });

    test('never redirects, and lets nobody keep an answer', async () => {
      for (const answer of [
        await edge(key),
        await edge(undefined),
        await edge(key, { target: '/open' }),
        await edge(key, { target: '/' }),
      ]) {
        expect(answer.head).toMatch(/^cache-control: no-store$/im);
        expect(answer.head).not.toMatch(/^location:/im);
        expect(answer.head).not.toMatch(/^x-powered-by:/im);
      }
    });

    test('takes two Host headers for an unknown host', async () => {
      const headers = ['Host: orders.example.com'];
      expect([400, 403]).toContain((await edge(key, { headers })).status);
      expect([200, 400]).toContain((await edge(key, { headers, target: '/open/x' })).status);
    });
  });
});
