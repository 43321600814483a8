import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
    await sendRaw(this.url, fields);
    return { seen: this.seen.slice(before) };
  }
}

/** RFC 9113, 3.4 and 4.1 */
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const HEADER_BYTES = 9;
const [DATA, HEADERS, RESET, SETTINGS, GOAWAY] = [0x0, 0x1, 0x3, 0x4, 0x7] as const;
const [END_STREAM, ACK, END_HEADERS] = [0x1, 0x1, 0x4] as const;

/**
 * Sends one request over HTTP/2 without TLS, byte by byte (Latin-1), with fields that no correct client sends: upper case,
 * connection headers, line ends, two paths. Resolves when the proxy has answered, reset the stream or closed the connection.
 */
function sendRaw(url: string, fields: readonly (readonly [name: string, value: string])[]): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectTcp(Number(port), hostname, () => {
      socket.write(PREFACE);
      socket.write(frame(SETTINGS, 0, 0));
      socket.write(frame(HEADERS, END_HEADERS | END_STREAM, 1, Buffer.concat(fields.map(literal))));
    });
    let unread = Buffer.alloc(0);
    socket.on('error', reject).on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      while (unread.length >= HEADER_BYTES && unread.length >= HEADER_BYTES + unread.readUIntBE(0, 3)) {
        const [length, type, flags] = [unread.readUIntBE(0, 3), unread[3], unread[4]!];
        unread = unread.subarray(HEADER_BYTES + length);
        if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0));
        const isOver = (type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0;
        if (isOver || type === RESET || type === GOAWAY) socket.end();
      }
    });
  });
}

function frame(type: number, flags: number, stream: number, content = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUIntBE(content.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, content]);
}

/** RFC 7541, 6.2.2: a field with a new name, in no table and without Huffman coding. */
function literal([name, value]: readonly [string, string]): Buffer {
  return Buffer.concat([Buffer.of(0), ...[name, value].map(text)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  // A length of 127 and more takes further bytes of seven bits each.
  const length = [Math.min(bytes.length, 127)];
  for (let rest = bytes.length - 127; rest >= 0; rest = rest >= 128 ? rest >> 7 : -1) {
    length.push(rest >= 128 ? (rest & 127) | 128 : rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
