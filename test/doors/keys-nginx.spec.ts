import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { searchPath } from '../../scripts/testing/programs.mjs';
import { selfSigned } from '../support/processes/certificate.js';
import { runCommand } from '../support/processes/command-line.js';
import { eventually } from '../support/eventually.js';
import { startService, type Service } from '../support/processes/service.js';
import { startServer } from '../support/stores/server-process.mjs';
import { sql } from '../support/stores/sql.js';

/** Fewer than in production, so that a test can exceed them. */
const REQUESTS_AT_ONCE = 3;
const REPORT = 'POST /v1/leaked-keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const PART_OF_BODY = `${REPORT}Content-Length: 100\r\n\r\n{`;

/** The lines of docs/operate.md that copy the file. */
const [COPY = ''] =
  /^sed -e (?:[^\n]*\\\n)*[^\n]*keys\.conf(?= &&$)/m.exec(readFileSync(join(root, 'docs/operate.md'), 'utf8')) ?? [];

describe('deploy/nginx/keys.conf, as docs/operate.md copies it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const certificate = join(folder, 'tls.crt');
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let port: number;
  let service: Service;
  const curl = (path: string, ...words: string[]) =>
    runCommand('curl', ['-sS', '--cacert', certificate, ...words, `https://localhost:${port}${path}`]);
  const status = async (path: string) => (await curl(path, '-o', join(folder, 'body'), '-w', '%{http_code}')).out;

  /** A client that sends the first part of a request and then waits. */
  const idle = async (text: string) => {
    const socket = connect({ host: 'localhost', port, rejectUnauthorized: false });
    socket.resume().on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(text);
    return socket;
  };
  beforeAll(async () => {
    port = await freePort();
    service = await startService({ PUBLIC_URL: `https://localhost:${port}`, TRUSTED_PROXIES: '127.0.0.1' });
    undo.push(() => service.stop());
    await selfSigned(folder, 'tls');
    const copy = join(folder, 'keys.conf');
    await runCommand('sh', ['-c', `cd ${root} && ${COPY.replace('/etc/nginx/conf.d/keys.conf', copy)}`]);
    const text = readFileSync(copy, 'utf8')
      .replaceAll('/etc/nginx/', `${folder}/`)
      .replaceAll('/var/log/nginx', folder)
      .replace('listen 443', `listen ${port}`)
      .replaceAll(/127\.0\.0\.1:300[12]/g, new URL(service.url).host)
      .replace('proxy_connect_timeout 250ms', 'proxy_connect_timeout 60s')
      // The limits on idle clients, shortened because the tests wait for them.
      .replaceAll(/\b((?:client_header|client_body|keepalive)_timeout) \d+s/g, '$1 1s')
      .replace('limit_conn keys 100', `limit_conn keys ${REQUESTS_AT_ONCE}`);
    writeFileSync(copy, text);
    const paths = `client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b;`;
    const main = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}`;
    writeFileSync(join(folder, 'nginx.conf'), `${main} http { ${paths} include keys.conf; }`);
    mkdirSync(join(folder, 'logs'));
    const nginx = await startServer('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      env: { PATH: searchPath() },
      log: join(folder, 'nginx.log'),
      answers: async () => (await status('/settings/api-keys')) === '200',
    });
    undo.push(() => nginx.end());
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  test('lets people sign in over TLS and sets a secure cookie', async () => {
    const body = JSON.stringify({ email: 'demo@latchkey.dev', password: 'correct horse battery staple' });
    const { out } = await curl('/v1/session', '-i', '-H', 'Content-Type: application/json', '-d', body);
    expect(out).toMatch(/^HTTP\/1\.1 204 /);
    expect(out).toMatch(/^set-cookie: .*; Secure/im);
  });

  test('passes the address of the client on, whatever the client says', async () => {
    const claims = ['-H', 'X-Forwarded-For: 203.0.113.9', '--interface', '127.0.0.5', '--ipv4', '-A', 'from afar'];
    const body = JSON.stringify({ email: 'demo@latchkey.dev', password: 'wrong' });
    await curl('/v1/session', ...claims, '-H', 'Content-Type: application/json', '-d', body);
    const events = 'SELECT client_ip FROM audit_events WHERE user_agent = $1';
    expect(await sql(service.databaseUrl, events, ['from afar'])).toEqual([{ client_ip: '127.0.0.5' }]);
  });

  test('leads from / to the screen', async () => {
    expect((await curl('/', '-i')).out).toMatch(/^HTTP\/1\.1 302 [^]*^location: .*\/settings\/api-keys\r$/im);
  });

  test.each([
    '/metrics',
    '/livez',
    '/readyz',
    '/docs',
    '/openapi.json',
    '/v1/forward-auth?mode=nginx',
    '/v1/introspect',
    '/v1/revocable_token_types',
    '/v1/revoke_tokens',
  ])('does not publish %s', async (path) => expect(await status(path)).toBe('404'));

  test.each(['/v1/session', '/v1/api-keys', '/v1/audit-events', '/v1/key'])(
    'passes %s on, which answers 401 without a credential',
    async (path) => {
      expect(await status(path)).toBe('401');
    },
  );

  test.each([
    ['the handshake', ''],
    ['a part of the headers', REPORT],
    ['a part of the body', PART_OF_BODY],
    ['a whole request', 'GET /v1/key HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])(
    'disconnects a client that sends nothing more after %s',
    async (_, text) => {
      const socket = await idle(text);
      if (!socket.closed) await once(socket, 'close');
    },
    30_000,
  );

  test('answers 429 to an address that has too many unfinished requests, and accepts its requests later', async () => {
    await eventually(async () => {
      const sockets = await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, () => idle(PART_OF_BODY)));
      const answer = await status('/v1/key');
      for (const socket of sockets) socket.destroy();
      return answer === '429';
    });
    await eventually(async () => (await status('/v1/key')) === '401');
  });

  test('accepts reports of leaked keys from anyone', async () => {
    const { out } = await curl('/v1/leaked-keys', '-i', '-H', 'Content-Type: application/json', '-d', '{"keys":["x"]}');
    expect(out).toMatch(/^HTTP\/1\.1 202 /);
  });
});
