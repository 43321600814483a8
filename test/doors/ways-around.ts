import { readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { unknownKey } from '../support/callers/key-strings.js';
import { ATTRIBUTES } from './account-facts.js';
import { expectRefusal, type GuardedBackend, SYSTEMS } from './guarded-backend.js';
import { OVERRIDES } from './overrides.js';
import type { Recipe } from './recipe.js';

const CODE = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /(?<!\.spec)\.ts$/.test(path))
  .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
  .join('\n');
/** Those that the code names, so that a new one turns the tests of a recipe red that passes a client's on. */
export const LATCHKEY_HEADERS = [...new Set(CODE.match(/\bx-latchkey-[a-z]+/gi)!.map((name) => name.toLowerCase()))];

/** What a client would choose where it is not `somebody-else`. */
const CHOSEN: Record<string, string> = {
  'x-latchkey-permissions': 'systems:write users:write',
  'x-latchkey-attributes': 'tenant="somebody-else"',
  'x-latchkey-status': '200',
};

/** The headers between proxy, Latchkey and backend, with values that a client chose. */
export const SPOOFED = [
  ...LATCHKEY_HEADERS.map((name) => `${name}: ${CHOSEN[name] ?? 'somebody-else'}`),
  'X-Original-Method: GET',
  `X-Original-URI: ${SYSTEMS}`,
  'X-Forwarded-Method: GET',
  `X-Forwarded-Uri: ${SYSTEMS}`,
];

/** Headers with a meaning at Envoy, and one that its recipe removes by its prefix. */
const AT_ENVOY = [
  'X-Forwarded-Prefix: /somebody-else',
  'X-Envoy-Original-Method: somebody-else',
  'X-Envoy-Original-Path: /somebody-else',
  'X-Latchkey-Of-Tomorrow: somebody-else',
];

/** Envoy names one of its machine's own addresses for a client on this machine. */
const OWN_NETWORKS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .flatMap(({ family, address }) => (family === 'IPv4' ? `${address}/32` : []));

/** Headers by which a client claims another address. */
const CLAIMS = [
  'X-Forwarded-For: 198.51.100.7',
  'X-Forwarded-For: 198.51.100.7, 127.0.0.1',
  'X-Real-IP: 198.51.100.7',
  'Forwarded: for=198.51.100.7',
  'X-Client-IP: 198.51.100.7',
  'Connection: X-Forwarded-For',
];

/** A client's attempts to get a request past the check. */
export function waysAround(
  door: () => GuardedBackend,
  someKey: () => string,
  noKeys: readonly (string | undefined)[],
  { isEdge, isGrpc, normalizesPaths, refusesNamedForwarding }: Recipe,
): void {
  test('headers between proxy, Latchkey and backend have no effect when a client sends them', async () => {
    const { id, person } = await door().newOwner();
    const [readOnly, good] = [await person.newKey({ access: 'read-only' }), await person.newKey()];
    expectRefusal(await door().send(readOnly.fullKey, `POST ${SYSTEMS}`, SPOOFED), 403, 'operation not allowed');
    expectRefusal(await door().send(good.fullKey, 'GET /nowhere', SPOOFED), 403, 'operation not allowed');
    for (const none of [unknownKey(), ...noKeys]) {
      expectRefusal(await door().send(none, 'GET /nowhere', SPOOFED), 401, 'invalid api key');
    }
    const { status, seen } = await door().send(good.fullKey, `PUT ${SYSTEMS}/7`, [
      ...SPOOFED,
      ...(isGrpc ? AT_ENVOY : []),
      ...OVERRIDES.map((name) => `${name}: an override`),
    ]);
    expect([status, seen?.headers['x-latchkey-owner']]).toEqual([200, id]);
    // Of an account without attributes the header is empty, or absent where the proxy leaves empty headers out.
    expect(seen?.headers['x-latchkey-attributes'] ?? '').toBe('');
    expect(JSON.stringify(seen)).not.toMatch(/somebody-else|users:write|x.latchkey.status|an override|x-original/i);
    expect(seen?.headers['x-forwarded-method'] ?? seen?.headers['x-forwarded-uri']).toBeUndefined();
  });

  test('a client cannot remove those headers by naming them in Connection (RFC 9110, 7.6.1)', async () => {
    const { id, person } = await door().newOwner({ attributes: ATTRIBUTES });
    const { fullKey } = await person.newKey({ access: 'read-only' });
    const all = SPOOFED.map((header) => header.split(':', 1)[0]!);
    const names = refusesNamedForwarding ? all.filter((name) => /^x-latchkey-/i.test(name)) : all;
    if (refusesNamedForwarding) {
      const named = await door().send(fullKey, `GET ${SYSTEMS}`, [`Connection: ${all.join(', ')}`]);
      expect([named.status, named.seen]).toEqual([400, undefined]);
    }
    const dropping = [`Connection: ${names.join(', ')}`];
    expect((await door().send(fullKey, `POST ${SYSTEMS}`, dropping)).status).toBe(403);
    const { status, seen } = await door().send(fullKey, `GET ${SYSTEMS}`, dropping);
    expect([status, seen?.headers]).toMatchObject([
      200,
      {
        'x-latchkey-owner': id,
        'x-latchkey-key': expect.any(String),
        'x-latchkey-access': 'read-only',
        'x-latchkey-permissions': 'systems:read',
        'x-latchkey-attributes': expect.stringContaining('tenant="acme"'),
      },
    ]);
  });

  test('a key that is limited to networks is refused elsewhere, wherever a client claims to be', async () => {
    const { person } = await door().newOwner();
    const [here, elsewhere] = [
      await person.newKey({ allowedNetworks: isEdge ? OWN_NETWORKS : ['127.0.0.0/8'] }),
      await person.newKey({ allowedNetworks: ['198.51.100.0/24'] }),
    ];
    const possible = CLAIMS.filter((claim) => !refusesNamedForwarding || !claim.startsWith('Connection'));
    for (const claims of [[], ...possible.map((claim) => [claim]), possible]) {
      const refused = await door().send(elsewhere.fullKey, `GET ${SYSTEMS}`, claims);
      expectRefusal(refused, 403, 'operation not allowed');
      const names = ['www-authenticate', 'ratelimit', 'ratelimit-policy', 'latchkey-key-expires'];
      expect(names.map((name) => refused.headers.get(name))).toEqual(names.map(() => null));
      expect((await door().send(here.fullKey, `GET ${SYSTEMS}`, claims)).status).toBe(200);
    }
    const { items } = await person.events('?limit=1');
    expect(items).toMatchObject([
      { reason: 'address-not-allowed', clientIp: isEdge ? expect.any(String) : '127.0.0.1' },
    ]);
  });

  test.each([
    `${SYSTEMS}/../users`,
    `${SYSTEMS}/%2e%2e/users`,
    `${SYSTEMS}/..%2fusers`,
    `${SYSTEMS}/%252e%252e/users`,
    `${SYSTEMS}/..%5cusers`,
    `${SYSTEMS}/..;/users`,
    `${SYSTEMS}/..%E2%88%95users`,
    `${SYSTEMS}/..%E2%81%84users`,
    `${SYSTEMS}/.%E2%80%8B./users`,
    `/${SYSTEMS}`,
    `${SYSTEMS}//7`,
    `${SYSTEMS}/%00`,
    `${SYSTEMS}/%0a`,
    `${SYSTEMS}/%ff`,
    `${SYSTEMS}/7;a=b`,
    `${SYSTEMS}#/users`,
    `/backend/api/%73ystems`,
    `/backend/api/users?${SYSTEMS}`,
    'http://127.0.0.1/backend/api/users',
  ])('the path %s is refused, or means the same to the check and to the backend', async (target) => {
    const { status, seen } = await door().send(someKey(), `GET ${target}`);
    // The check and the backend then get the same path, in its normal form.
    if (normalizesPaths && status === 200) expect(seen?.url).toBe(SYSTEMS);
    else {
      expect([400, 403]).toContain(status);
      expect(seen).toBeUndefined();
    }
  });

  test.each(['/_latchkey', '/v1/forward-auth?mode=nginx'])('a client cannot call %s itself', async (target) => {
    const { status, seen } = await door().send(someKey(), `GET ${target}`);
    expect([403, 404]).toContain(status);
    expect(seen).toBeUndefined();
  });
}
