import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { about, FORWARDED, startForwardAuth, type ForwardAuthStage } from '../support/callers/forward-auth.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('a proxy that passes on what a client sent', () => {
  let stage: ForwardAuthStage;
  beforeAll(async () => {
    stage = await startForwardAuth({ ALLOWED_ORIGINS: 'https://app.example.com' });
  });
  afterAll(() => stage.stop());

  test('gets 401 for two Authorization headers, for none, and for a session', async () => {
    const [authorization, ...rest] = about(stage.good, 'GET', '/systems', FORWARDED) as [string, ...string[]];
    for (const headers of [[authorization, authorization], [], [`Cookie: ${stage.owner.person.cookie}`]]) {
      expect((await stage.send('caddy', [...headers, ...rest])).status).toBe(401);
    }
    expect((await stage.send('caddy', [authorization, `Cookie: ${stage.owner.person.cookie}`, ...rest])).status).toBe(
      200,
    );
  });

  test('never has a key read out of a query string, its own or the original one', async () => {
    const headers = ['X-Forwarded-Method: GET', `X-Forwarded-Uri: /systems?access_token=${stage.good}`];
    const queries = [`caddy&access_token=${stage.good}`, `caddy&authorization=Bearer%20${stage.good}`];
    for (const query of queries) expect((await stage.send(query, headers)).status).toBe(401);
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'may ask by %s, and a denial stays one',
    async (method) => {
      expect((await stage.send('caddy', about(stage.good, 'GET', '/systems', FORWARDED), method)).status).toBe(200);
      expect((await stage.send('caddy', about(unknownKey(), 'GET', '/systems', FORWARDED), method)).status).toBe(401);
    },
  );

  test.each(['https://app.example.com', 'https://evil.example.com'])(
    'may pass on what a page of %s sent: nothing is changed here, and a preflight is no way in',
    async (origin) => {
      const page = [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site', 'Access-Control-Request-Method: GET'];
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const headers = (key: string) => [...about(key, 'GET', '/systems', FORWARDED), ...page];
        expect((await stage.send('traefik', headers(stage.good), method)).status).toBe(200);
        const { status, head } = await stage.send('traefik', headers(unknownKey()), method);
        expect(status).toBe(401);
        expect(head).not.toMatch(/^access-control/im);
      }
    },
  );

  test.each([
    ['JSON that is none', ['Content-Type: application/json', 'Content-Length: 1'], '{'],
    ['another type', ['Content-Type: text/plain', 'Content-Length: 2'], 'hi'],
    ['more than a body may have', ['Content-Type: application/json', 'Content-Length: 20000'], ' '.repeat(20_000)],
    ['chunks', ['Transfer-Encoding: chunked'], '2\r\nhi\r\n0\r\n\r\n'],
  ])('may pass on any body: %s', async (_, headers, body) => {
    const question = about(stage.good, 'GET', '/open', FORWARDED);
    expect((await stage.send('traefik', [...question, ...headers], 'POST', body)).status).toBe(200);
  });

  test('may announce a body and never send it: its next request is not taken for one', async () => {
    const [authorization, method, target] = about(stage.good, 'GET', '/open', FORWARDED).map(
      (line) => line.split(': ')[1]!,
    );
    const headers = { authorization, 'x-forwarded-method': method, 'x-forwarded-uri': target, 'content-length': '7' };
    const url = `${stage.service.url}/v1/forward-auth?mode=traefik`;
    const asked = request(url, { method: 'POST', headers: { ...headers, connection: 'keep-alive' } });
    asked.flushHeaders();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
    asked.destroy();
  });

  test('is believed about its client when it is trusted, and what failed is recorded so', async () => {
    const proxied = await startService({ DATABASE_URL: stage.service.databaseUrl, TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const client = ['X-Forwarded-For: 203.0.113.7', 'User-Agent: Curious', 'X-Request-Id: joined'];
      const headers = [...about(unknownKey(), 'GET', '/nowhere', FORWARDED), ...client];
      expect((await rawRequest(proxied, 'GET /v1/forward-auth?mode=caddy', headers)).status).toBe(401);
      const rows = await sql(
        stage.service.databaseUrl,
        `SELECT reason, client_ip AS ip, user_agent FROM audit_events WHERE request_id = 'joined'`,
      );
      expect(rows).toEqual([{ reason: 'invalid-key', ip: '203.0.113.7', user_agent: 'Curious' }]);
    } finally {
      await proxied.stop();
    }
  });
});
