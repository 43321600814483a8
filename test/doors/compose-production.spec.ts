import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { searchPath } from '../../scripts/tools.mjs';
import { runCommand } from '../support/processes/command-line.js';
import { eventually } from '../support/eventually.js';
import { startService, type Service } from '../support/processes/service.js';

/** Fewer than in production, so that a test can exceed them. */
const REQUESTS_AT_ONCE = 3;
const REPORT = 'POST /v1/leaked-keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const PART_OF_BODY = `${REPORT}Content-Length: 100\r\n\r\n{`;

describe('deploy/compose/nginx-production.conf', () => {
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
    service = await startService({ PUBLIC_URL: `https://localhost:${port}`, TRUSTED_PROXIES: 'loopback' });
    undo.push(() => service.stop());
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', join(folder, 'tls.key'), '-out', certificate];
    await runCommand('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...files]);
    const text = readFileSync(join(root, 'deploy/compose/nginx-production.conf'), 'utf8')
      .replaceAll('/etc/nginx/', `${folder}/`)
      .replace('8443', String(port))
      .replaceAll(/latchkey-[12]:3000/g, new URL(service.url).host)
      .replaceAll('/dev/std', `${folder}/std`)
      .replace(
        'server_tokens off;',
        `server_tokens off; client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b;`,
      )
      .replace('proxy_connect_timeout 250ms', 'proxy_connect_timeout 60s')
      // The limits on idle clients, shortened because the tests wait for them.
      .replaceAll(/\b((?:client_header|client_body|keepalive)_timeout) \d+s/g, '$1 1s')
      .replace('limit_conn addresses 100', `limit_conn addresses ${REQUESTS_AT_ONCE}`);
    writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid ${folder}/pid;\n${text}`);
    mkdirSync(join(folder, 'logs'));
    const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      env: { PATH: searchPath() },
      stdio: 'ignore',
    });
    const end = () => nginx.kill('SIGTERM');
    process.once('exit', end);
    undo.push(async () => {
      const ended = once(nginx, 'exit');
      end();
      await ended;
      process.off('exit', end);
    });
    await eventually(async () => (await status('/settings/api-keys')) === '200');
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
