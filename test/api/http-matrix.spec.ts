import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unknownKey } from '../support/callers/key-strings.js';
import {
  ADMIN,
  ADMIN_PROFILE,
  ADMIN_ROUTES,
  MANAGEMENT_ROUTES,
  type ManagementRoute,
} from '../support/callers/management-routes.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import type { Answer } from '../support/callers/person.js';
import { startService, type Service } from '../support/processes/service.js';

const ROUTES = [...MANAGEMENT_ROUTES, ...ADMIN_ROUTES];

describe('the management routes', () => {
  let service: Service;
  let owner: Owner;
  let key: { id: string; fullKey: string };
  beforeAll(async () => {
    service = await startService(ADMIN);
    await withNewOwner();
  });
  afterAll(() => service.stop());

  const withNewOwner = async () => {
    owner = await newOwner(service, ADMIN_PROFILE);
    const { apiKey, fullKey } = await owner.person.newKey();
    key = { id: apiKey.id, fullKey };
  };

  test('are all in the matrix below', async () => {
    const { body } = await service.person().call('GET', '/openapi.json');
    const documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const forServices = /\/v1\/(forward-auth|introspect|key|leaked-keys|revocable_token_types|revoke_tokens)$/;
    const managing = documented.filter((name) => name.includes(' /v1/') && !forServices.test(name));
    expect(managing.sort()).toEqual(ROUTES.map(({ name }) => name).sort());
  });

  /** @param credentials headers in addition to a session's cookie, or instead of it */
  const call = ({ method, order }: ManagementRoute, credentials: Record<string, string>): Promise<Answer> => {
    const { path, body } = order(owner, key.id);
    return service.person().call(method, path, body, credentials);
  };
  const cookie = () => ({ cookie: owner.person.cookie });
  const bearer = (fullKey: string) => ({ authorization: `Bearer ${fullKey}` });

  /** Checks that nothing was created, revoked or signed out. */
  const expectNoChange = async () => {
    const { items } = await owner.person.list();
    expect(items).toMatchObject([{ id: key.id, status: 'active' }]);
  };

  describe.each(ROUTES)('$name', (route) => {
    test(`answers ${route.anonymous} without credentials`, async () => {
      const { status, headers, body } = await call(route, {});
      expect(status).toBe(route.anonymous);
      if (route.anonymous === 401) {
        expect(body).toMatchObject({ code: 'unauthenticated', status: 401 });
        expect(headers.get('www-authenticate')).toBe('Bearer');
      }
      await expectNoChange();
    });

    test(`answers ${route.success} with a session`, async () => {
      const { status, headers } = await call(route, cookie());
      await withNewOwner();
      expect(status).toBe(route.success);
      expect(headers.get('cache-control')).toBe('no-store');
    });

    test.each([
      ['a good key', () => ({})],
      ["a good key and its owner's session", cookie],
    ])('answers 403 with %s, and changes nothing', async (_, others) => {
      const { status, headers, body } = await call(route, { ...bearer(key.fullKey), ...others() });
      expect(status).toBe(403);
      expect(body).toMatchObject({ status: 403, code: 'operation_not_allowed', detail: 'operation not allowed' });
      expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
      expect(headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
      expect(headers.getSetCookie()).toEqual([]);
      await expectNoChange();
    });

    test.each([
      ['an unknown key', () => ({})],
      ['an unknown key and a session', cookie],
    ])('answers 401 with %s, and changes nothing', async (_, others) => {
      const { status, headers, body } = await call(route, { ...bearer(unknownKey()), ...others() });
      expect(status).toBe(401);
      expect(body).toMatchObject({ status: 401, code: 'invalid_api_key', detail: 'invalid api key' });
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(headers.get('ratelimit')).toBeNull();
      expect(headers.getSetCookie()).toEqual([]);
      await expectNoChange();
    });
  });
});
