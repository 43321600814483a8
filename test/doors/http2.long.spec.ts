import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rawHttp2 } from '../support/callers/raw-http2.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { accountFacts } from './account-facts.js';
import { GuardedBackend, SYSTEMS, type Answer } from './guarded-backend.js';
import { overHttp2 } from './recipe.js';
import { CADDY, HAPROXY, NGINX } from './recipes.js';
import { SPOOFED, waysAround } from './ways-around.js';

describe.each([NGINX, CADDY, HAPROXY].map(overHttp2))('$name', (recipe) => {
  let door: Http2Backend;
  let someKey: string;
  beforeAll(async () => {
    door = await Http2Backend.start(recipe);
    someKey = await door.newKey();
  });
  afterAll(() => door.stop());

  accountFacts(() => door);
  waysAround(
    () => door,
    () => someKey,
    [undefined, 'nonsense'],
    recipe,
  );

  const request = (path: string, ...more: [string, string][]): [string, string][] => [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ...more,
  ];

  test.each<[string, [string, string][]]>([
    ['in upper case', SPOOFED.map((header) => [header.split(': ')[0]!.toUpperCase(), header.split(': ')[1]!])],
    ['with underscores', [['x_latchkey_owner', 'somebody-else']]],
    ['with a space after the name', [['x-latchkey-owner ', 'somebody-else']]],
    ['with a colon in the name', [['x-latchkey-owner: somebody-else\r\nx', '1']]],
    ['after a line end in a value', [['x-note', '1\r\nX-Latchkey-Owner: somebody-else']]],
    ['after a line feed in a value', [['x-note', '1\nX-Latchkey-Owner: somebody-else']]],
    ['named in Connection', [['connection', 'x-latchkey-owner, x-latchkey-permissions, authorization']]],
    [
      'behind Transfer-Encoding',
      [
        ['transfer-encoding', 'chunked'],
        ['x-latchkey-owner', 'somebody-else'],
      ],
    ],
    [
      'as trailers that are announced',
      [
        ['te', 'trailers'],
        ['trailer', 'x-latchkey-owner'],
      ],
    ],
  ])('fields %s do not reach the backend as a claim', async (_, fields) => {
    const { id, person } = await door.newOwner();
    const { fullKey } = await person.newKey({ access: 'read-only' });
    const { seen } = await door.raw(request(SYSTEMS, ['authorization', `Bearer ${fullKey}`], ...fields));
    expect(JSON.stringify(seen ?? {})).not.toMatch(/somebody-else|users:write/);
    // The proxy either refuses such a request, or passes it on as that of the owner.
    for (const { headers } of seen) expect(headers['x-latchkey-owner']).toBe(id);
    const none = await door.raw(request(SYSTEMS, ['authorization', `Bearer ${unknownKey()}`], ...fields));
    expect(none.seen).toEqual([]);
  });

  test.each<[string, (key: string) => [string, string][]]>([
    ['two paths', (key) => [...request('/backend/api/users', [':path', SYSTEMS]), ['authorization', key]]],
    ['a space in the path', (key) => request(`/backend/api/users HTTP/1.1\r\nX: ${SYSTEMS}`, ['authorization', key])],
    ['a line end in the path', (key) => request(`${SYSTEMS}\r\n/../users`, ['authorization', key])],
    ['a path without a slash', (key) => request('backend/api/users', ['authorization', key])],
    [
      'a method with a space',
      (key) => [[':method', 'GET /backend/api/users'], ...request(SYSTEMS).slice(1), ['authorization', key]],
    ],
    [
      'another host than its authority',
      (key) => request('/backend/api/users', ['host', 'systems'], ['authorization', key]),
    ],
    ['a pseudo-field after the others', (key) => [['authorization', key], ...request('/backend/api/users')]],
  ])('a request with %s reaches nothing but what the key may read', async (_, fields) => {
    const { seen } = await door.raw(fields(`Bearer ${someKey}`));
    expect(seen.filter(({ url }) => !url.startsWith(SYSTEMS))).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain('users');
  });

  test('two credentials are refused, each in a header field of its own', async () => {
    const { seen } = await door.raw(
      request(SYSTEMS, ['authorization', `Bearer ${someKey}`], ['authorization', `Bearer ${unknownKey()}`]),
    );
    expect(seen).toEqual([]);
  });

  test('a tunnel of HTTP/2 (RFC 8441) is judged as any request', async () => {
    const tunnel = (key: string): [string, string][] => [
      [':method', 'CONNECT'],
      [':protocol', 'websocket'],
      ...request('/backend/api/users', ['sec-websocket-version', '13'], ['authorization', `Bearer ${key}`]).slice(1),
    ];
    expect((await door.raw(tunnel(someKey))).seen).toEqual([]);
    expect((await door.raw(tunnel(unknownKey()))).seen).toEqual([]);
  });
});

/** Asked over HTTP/2 by a correct client, or byte by byte. */
class Http2Backend extends GuardedBackend {
  override async send(key: string | undefined, line: string, headers: string[] = [], body = ''): Promise<Answer> {
    const before = this.seen.length;
    const [method, ...path] = line.split(' ');
    const fields: OutgoingHttpHeaders = { ':method': method, ':path': path.join(' ') };
    const given = [...(key === undefined ? [] : [`Authorization: Bearer ${key}`]), ...headers];
    for (const header of given) {
      const name = header.split(':', 1)[0]!.toLowerCase();
      // A correct client has none: raw() sends them.
      if (name === 'connection') continue;
      const value = header.slice(name.length + 1).trim();
      fields[name] = fields[name] === undefined ? value : [fields[name], value].flat().map(String);
    }
    const client = connect(this.url);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        client.on('error', reject);
        const stream = client.request(fields, { endStream: body === '' });
        let [status, answered, text] = [0, {} as IncomingHttpHeaders, ''];
        stream.on('response', (response) => ([status, answered] = [response[':status']!, response]));
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        // A malformed request may be reset instead.
        stream.on('error', () => (status ||= 400));
        stream.on('close', () => {
          const pairs = Object.entries(answered).filter(([name]) => !name.startsWith(':'));
          const all = pairs.map(([name, value]): [string, string] => [name, String(value)]);
          resolve({ status, headers: new Headers(all), body: text, seen: this.seen[before] });
        });
        if (body !== '') stream.end(body);
      });
    } finally {
      client.close();
    }
  }

  async raw(fields: [string, string][]) {
    const before = this.seen.length;
    const body = await rawHttp2(this, fields);
    return { body, seen: this.seen.slice(before) };
  }
}
