import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GuardedBackend, SYSTEMS } from './guarded-backend.js';
import { CADDY, ENVOY_AT_EDGE_DOOR, ENVOY_FIRST_HOP, HAPROXY, NGINX } from './recipes.js';

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
