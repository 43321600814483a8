import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { unknownKey } from '../support/callers/key-strings.js';
import { startService, type Service } from '../support/processes/service.js';
import { ROUTES } from './guarded-backend.js';
import { OVERRIDES } from './overrides.js';
import { recipeText } from './recipe.js';

const recipe = recipeText('traefik.yml');
const setting = (name: string) => new RegExp(`^ *${name}: (.*)$`, 'm').exec(recipe)?.[1] ?? '';
const listed = (name: string): string[] => parse(recipe).http.middlewares.latchkey.forwardAuth[name];
const IDENTITY = ['Owner', 'Key', 'Access', 'Permissions', 'Attributes'].map((name) => `X-Latchkey-${name}`);

/**
 * Debian has no Traefik. So this test sends Traefik's request to Latchkey itself, as Traefik's documentation and the
 * recipe describe it.
 */
describe('the authorization request of Traefik', () => {
  const folder = mkdtempSync(join(tmpdir(), 'traefik-'));
  let service: Service;
  let key: string;
  beforeAll(async () => {
    const file = join(folder, 'routes.json');
    writeFileSync(file, ROUTES);
    service = await startService({ FORWARD_AUTH_ROUTES: file, TRUSTED_PROXIES: 'loopback' });
    key = (await (await service.person().signIn()).newKey({ access: 'read-only' })).fullKey;
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  /** The client's headers that the recipe lets through, and the headers that Traefik itself sets. */
  const send = (fromClient: Record<string, string>, method: string, target: string) => {
    const names = listed('authRequestHeaders').map((name) => name.toLowerCase());
    const passedOn = Object.entries(fromClient).filter(([name]) => names.includes(name.toLowerCase()));
    const address = new URL(setting('address'));
    return fetch(service.url + address.pathname + address.search, {
      headers: {
        ...Object.fromEntries(passedOn),
        'X-Forwarded-For': '203.0.113.7',
        'X-Forwarded-Host': 'api.example.com',
        'X-Forwarded-Method': method,
        'X-Forwarded-Port': '80',
        'X-Forwarded-Proto': 'http',
        'X-Forwarded-Server': 'proxy-1',
        'X-Forwarded-Uri': target,
        'X-Real-Ip': '203.0.113.7',
      },
    });
  };
  const bearer = (fullKey: string) => ({ Authorization: `Bearer ${fullKey}` });

  test('is answered with every header that Traefik passes on', async () => {
    const answer = await send(bearer(key), 'GET', '/backend/api/systems/7?page=2');
    expect(answer.status).toBe(200);
    expect(listed('authResponseHeaders')).toEqual(IDENTITY);
    expect(IDENTITY.map((name) => answer.headers.get(name))).toEqual([
      'demo',
      expect.any(String),
      'read-only',
      'systems:read',
      '',
    ]);
  });

  test('is refused with the answer that the client gets', async () => {
    const answers = [
      await send(bearer(unknownKey()), 'GET', '/backend/api/systems'),
      await send({ Cookie: 'latchkey_session=x' }, 'GET', '/backend/api/systems'),
      await send(bearer(key), 'POST', '/backend/api/systems'),
      await send(bearer(key), 'GET', '/backend/api/systems/../users'),
    ];
    const received = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]));
    const [none, forbidden] = ['{"message":"invalid api key"}', '{"message":"operation not allowed"}'];
    expect(received).toEqual([
      [401, none],
      [401, none],
      [403, forbidden],
      [403, forbidden],
    ]);
  });

  test('contains no identity that a client sent', () => {
    expect(setting('trustForwardHeader')).toBe('false');
    for (const name of [...IDENTITY, 'Authorization']) expect(setting(name)).toBe("''");
  });

  describe('the request that Traefik forwards', () => {
    const { routers, middlewares } = parse(recipe).http;
    const removed = (names: string[]) => Object.fromEntries(names.map((name) => [name, '']));

    test('has no header that overrides the validated request, in any spelling', () => {
      const { entryPoints } = parse(recipeText('traefik-static.yml'));
      expect(Object.keys(entryPoints)).toEqual(routers.api.entryPoints);
      expect(entryPoints.web.http).toEqual({ aliasHeadersStrategy: 'delete' });
      expect(routers.api.middlewares[0]).toBe('untrusted');
      expect(middlewares.untrusted.headers.customRequestHeaders).toMatchObject(removed([...IDENTITY, ...OVERRIDES]));
    });

    test('has no upgrade, because requests in a tunnel would not be validated', () => {
      expect(middlewares.untrusted.headers.customRequestHeaders).toMatchObject(removed(['Upgrade', 'HTTP2-Settings']));
    });
  });
});
