import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { CADDY, ENVOY_AT_EDGE_DOOR, ENVOY_FIRST_HOP, HAPROXY, NGINX, withUserTokens } from './recipes.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { EchoBackend } from './echo-backend.js';
import { GuardedBackend, SYSTEMS } from './guarded-backend.js';
import { OVERRIDES } from './overrides.js';
import { startProxy } from './recipe.js';
import { SPOOFED } from './ways-around.js';

describe.each([CADDY, withUserTokens(CADDY)])('$name before a backend', (recipe) => guarantees(recipe));

describe.each([HAPROXY, withUserTokens(HAPROXY)])('$name before a backend', (recipe) => guarantees(recipe));

const basic = (key: string) => `Authorization: Basic ${Buffer.from(`any:${key}`).toString('base64')}`;
const ROUTE = `GET ${SYSTEMS}`;

describe.each([NGINX, CADDY, HAPROXY, ENVOY_FIRST_HOP, ENVOY_AT_EDGE_DOOR])(
  '$name with every form of a credential',
  (recipe) => {
    let door: GuardedBackend;
    let key: string;
    beforeAll(async () => {
      door = await GuardedBackend.start({ ...recipe, credentials: 'bearer,x-api-key,basic' });
    });
    beforeEach(async () => {
      key = await door.newKey();
    });
    afterAll(() => door.stop());

    test.each([
      ['X-API-Key', (fullKey: string) => `X-API-Key: ${fullKey}`],
      ['Basic', basic],
      ['Bearer', (fullKey: string) => `Authorization: Bearer ${fullKey}`],
    ])('grants a key in %s, and lets the backend see none', async (_, header) => {
      const { status, headers, seen } = await door.send(undefined, ROUTE, [header(key)]);
      expect([status, headers.get('cache-control')]).toEqual([200, recipe.isEdge ? null : 'private']);
      expect(seen?.headers).toMatchObject({ 'x-latchkey-access': 'read-and-write' });
      expect(seen?.headers['authorization'] ?? '').toBe('');
      expect(seen?.headers['x-api-key'] ?? '').toBe('');
    });

    test('refuses two credentials', async () => {
      for (const headers of [
        [`X-API-Key: ${key}`, basic(key)],
        [`Authorization: Bearer ${key}`, `X-API-Key: ${key}`],
        [`X-API-Key: ${key},${key}`],
      ]) {
        const { status, seen } = await door.send(undefined, ROUTE, headers);
        expect([status, seen]).toEqual([401, undefined]);
      }
    });

    test('takes Basic from the same site and from no other', async () => {
      const status = async (...headers: string[]) =>
        (await door.send(undefined, ROUTE, [basic(key), ...headers])).status;
      expect(await status(`Origin: ${door.url}`)).toBe(200);
      expect(await status('Sec-Fetch-Site: same-origin')).toBe(200);
      expect(await status('Sec-Fetch-Site: cross-site')).toBe(401);
      expect(await status('Origin: https://elsewhere.example.com')).toBe(401);
    });

    test('asks for Basic where no browser shows itself', async () => {
      const challenge = async (...headers: string[]) =>
        (await door.send(undefined, ROUTE, headers)).headers.get('www-authenticate');
      expect(await challenge()).toBe('Basic realm="api"');
      expect(await challenge('Upgrade-Insecure-Requests: 1')).toBe('Bearer');
      expect(await challenge('X-API-Key: wrong')).toBe('Bearer');
    });
  },
);

/** What a client could send to the backend after an upgrade, when its requests are no longer validated. */
const SMUGGLED = 'DELETE /smuggled HTTP/1.1\r\nHost: backend\r\nX-Latchkey-Owner: victim\r\n\r\n';
const WEBSOCKET = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
const SETTINGS = 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA';
/** Characters that a name may contain (RFC 9110, 5.6.2) and that CGI, WSGI or PHP read as `-`. */
const READ_AS_HYPHEN = [..."_.!#$%&'*+^`|~"];

describe.each([NGINX, CADDY, HAPROXY])('the request that $name forwards', (recipe) => {
  let door: GuardedBackend;
  let key: string;
  beforeAll(async () => {
    door = await GuardedBackend.start(recipe);
    key = await door.newKey();
  });
  afterAll(() => door.stop());

  test.each(READ_AS_HYPHEN)(
    'has no header whose name resembles a removed one, with %s in place of one hyphen or all',
    async (character) => {
      const { id, person } = await door.newOwner();
      const { fullKey } = await person.newKey();
      const names = [...SPOOFED.map((header) => header.split(':', 1)[0]!), ...OVERRIDES, 'X-Forwarded-For'];
      const spelled = names.flatMap((name) => [
        name.replaceAll('-', () => character),
        name.replace(/-(?=[^-]*$)/, () => character),
      ]);
      const claims = spelled.map((name) => `${name}: a claim`);
      const { status, seen } = await door.send(fullKey, `POST ${SYSTEMS}`, claims);
      expect([status, seen?.headers['x-latchkey-owner']]).toEqual([200, id]);
      expect(JSON.stringify(seen)).not.toContain('a claim');
    },
  );

  test.each([
    ['h2c', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', SETTINGS]],
    ['h2c, without naming its settings', ['Connection: Upgrade', 'Upgrade: h2c', SETTINGS]],
    ['h2c, in separate header lines', ['Connection: keep-alive', 'connection: upgrade', 'upgrade: H2C', SETTINGS]],
    ['TLS', ['Connection: Upgrade', 'Upgrade: TLS/1.0, HTTP/1.1']],
    ['an unknown protocol', ['Connection: Upgrade', 'Upgrade: whatever']],
    ['a protocol with a name like WebSocket', ['Connection: Upgrade', 'Upgrade: websockets']],
  ])('is a plain request without a tunnel when the client requests an upgrade to %s', async (_, headers) => {
    const { status, seen, tunnels } = await door.upgrade(key, `GET ${SYSTEMS}`, headers, SMUGGLED);
    expect([status, tunnels]).toEqual([200, []]);
    expect(seen?.headers).not.toHaveProperty('upgrade');
    expect(seen?.headers).not.toHaveProperty('http2-settings');
    expect(seen?.headers.connection ?? '').not.toMatch(/upgrade|http2-settings/i);
  });

  test.each([
    ['in one line', ['Upgrade: websocket, h2c']],
    ['in one line, h2c first', ['Upgrade: h2c, websocket']],
    ['in two lines', ['Upgrade: websocket', 'Upgrade: h2c']],
    ['in two lines, h2c first', ['Upgrade: h2c', 'Upgrade: websocket']],
  ])('upgrades to WebSocket at most when the client requests WebSocket and h2c %s', async (_, upgrade) => {
    const headers = ['Connection: Upgrade', ...upgrade, ...WEBSOCKET, SETTINGS];
    const { seen, tunnels } = await door.upgrade(key, `GET ${SYSTEMS}`, headers, SMUGGLED);
    const taken = tunnels.concat(seen ?? []);
    expect(taken).toHaveLength(1);
    expect([undefined, 'websocket']).toContain(taken[0]!.headers.upgrade);
    expect(taken[0]!.headers).not.toHaveProperty('http2-settings');
  });

  test('opens a WebSocket where the recipe allows it and the key may GET the path', async () => {
    const webSocket = ['Connection: Upgrade', 'Upgrade: websocket', ...WEBSOCKET];
    const { id, person } = await door.newOwner();
    const { fullKey } = await person.newKey({ access: 'read-only' });
    const opened = await door.upgrade(fullKey, `GET ${SYSTEMS}`, webSocket, 'anything');
    const taken = opened.tunnels.concat(opened.seen ?? []);
    expect(taken).toMatchObject([{ method: 'GET', headers: { 'x-latchkey-owner': id } }]);
    expect(JSON.stringify(taken)).not.toContain(fullKey.split('.')[1]);
    expect([opened.status, opened.heard]).toEqual(recipe.passesWebSockets ? [101, 'anything'] : [200, undefined]);

    const refusals = [
      await door.upgrade(undefined, `GET ${SYSTEMS}`, webSocket, SMUGGLED),
      await door.upgrade(fullKey, 'GET /nowhere', webSocket, SMUGGLED),
      await door.upgrade(fullKey, `POST ${SYSTEMS}`, webSocket, SMUGGLED),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([401, 403, 403]);
    expect(refusals.flatMap(({ seen, tunnels }) => tunnels.concat(seen ?? []))).toEqual([]);
  });
});

// Caddy before its pull request 7859 can send a check to the backend, by a connection that it opened for another request.
test("Caddy's recipe grants nothing by a 200 that names no owner", async () => {
  const [stranger, backend] = [await EchoBackend.start(), await EchoBackend.start()];
  const proxy = await startProxy(CADDY, { latchkey: stranger.address, backend: backend.address });
  await rawRequest({ url: proxy.url }, 'GET /systems', ['Authorization: Bearer lk_key']);
  expect([stranger.seen.length, backend.seen.length]).toEqual([1, 0]);
  await Promise.all([proxy.stop(), stranger.stop(), backend.stop()]);
});
