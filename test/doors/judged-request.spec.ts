import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GuardedBackend, SYSTEMS } from './guarded-backend.js';
import { OVERRIDES } from './overrides.js';
import { CADDY, HAPROXY, NGINX } from './recipes.js';
import { SPOOFED } from './ways-around.js';

/** What a client could say to the backend after an upgrade, when nobody judges its requests. */
const SMUGGLED = 'DELETE /smuggled HTTP/1.1\r\nHost: backend\r\nX-Latchkey-Owner: victim\r\n\r\n';
const WEBSOCKET = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
const SETTINGS = 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA';
/** Characters that a name may contain (RFC 9110, 5.6.2) and that CGI, WSGI or PHP read as `-`. */
const READ_AS_HYPHEN = [..."_.!#$%&'*+^`|~"];

describe.each([NGINX, CADDY, HAPROXY])('through $name the backend gets the request that was judged', (recipe) => {
  let door: GuardedBackend;
  let key: string;
  beforeAll(async () => {
    door = await GuardedBackend.start(recipe);
    key = await door.newKey();
  });
  afterAll(() => door.stop());

  test.each(READ_AS_HYPHEN)(
    'and no header whose name reads like another, with %s for one - or for all',
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
    ['h2c, its settings not named', ['Connection: Upgrade', 'Upgrade: h2c', SETTINGS]],
    ['h2c, in lines of their own', ['Connection: keep-alive', 'connection: upgrade', 'upgrade: H2C', SETTINGS]],
    ['TLS', ['Connection: Upgrade', 'Upgrade: TLS/1.0, HTTP/1.1']],
    ['something made up', ['Connection: Upgrade', 'Upgrade: whatever']],
    ['something like WebSocket', ['Connection: Upgrade', 'Upgrade: websockets']],
  ])('as a plain one, without a tunnel, where it asks for %s', async (_, headers) => {
    const { status, seen, tunnels } = await door.upgrade(key, `GET ${SYSTEMS}`, headers, SMUGGLED);
    expect([status, tunnels]).toEqual([200, []]);
    expect(seen?.headers).not.toHaveProperty('upgrade');
    expect(seen?.headers).not.toHaveProperty('http2-settings');
    expect(seen?.headers.connection ?? '').not.toMatch(/upgrade|http2-settings/i);
  });

  test.each([
    ['in one line', ['Upgrade: websocket, h2c']],
    ['in one line, h2c first', ['Upgrade: h2c, websocket']],
    ['in two', ['Upgrade: websocket', 'Upgrade: h2c']],
    ['in two, h2c first', ['Upgrade: h2c', 'Upgrade: websocket']],
  ])('with no upgrade but WebSocket’s, where it asks for h2c beside it %s', async (_, upgrade) => {
    const headers = ['Connection: Upgrade', ...upgrade, ...WEBSOCKET, SETTINGS];
    const { seen, tunnels } = await door.upgrade(key, `GET ${SYSTEMS}`, headers, SMUGGLED);
    const taken = tunnels.concat(seen ?? []);
    expect(taken).toHaveLength(1);
    expect([undefined, 'websocket']).toContain(taken[0]!.headers.upgrade);
    expect(taken[0]!.headers).not.toHaveProperty('http2-settings');
  });

  test('with a WebSocket where the recipe has them, as the key may GET its path', async () => {
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
