import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { routesFile } from '../support/callers/forward-auth.js';
import {
  ADMIN,
  ADMIN_PROFILE,
  ADMIN_ROUTES,
  MANAGEMENT_ROUTES,
  type ManagementRoute,
} from '../support/callers/management-routes.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { PROVOCATIONS, type World } from './provocations.js';
import { type Service, startService } from '../support/processes/service.js';
import { textOf } from '../support/reading/pages.js';
import { sql } from '../support/stores/sql.js';
import { unknownKey } from '../support/callers/key-strings.js';
import type { Answer } from '../support/callers/person.js';

interface Operation {
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, { properties?: object; additionalProperties?: boolean }> };
}

/** /openapi.json, to check answers against. */
function openApiOf({ paths, components: { schemas } }: Document) {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  // An answer must not contain a field that the document does not name.
  for (const schema of Object.values(schemas)) if (schema.properties) schema.additionalProperties = false;
  ajv.addSchema({ $id: 'openapi', components: { schemas } });
  const operations = new Map<string, Operation>(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  );
  return {
    /** As `POST /v1/session`. */
    names: [...operations.keys()],
    statusesOf: (name: string) => Object.keys(operations.get(name)!.responses).map(Number),
    /** The errors in an answer to this operation, or undefined. */
    problemOf: (name: string, { status, headers, body }: Answer): string | undefined => {
      const response = operations.get(name)!.responses[status];
      if (!response) return `${name} answered ${status}, which is not documented`;
      const type = headers.get('content-type')?.split(';', 1)[0];
      if (!response.content)
        return body === undefined ? undefined : `${name} ${status} has a body that is not documented`;
      const content = type && response.content[type];
      if (!content) return `${name} ${status} is of type ${type}, which is not documented`;
      const schema = JSON.parse(JSON.stringify(content.schema).replaceAll('"#/', '"openapi#/'));
      return ajv.validate(schema, body) ? undefined : `${name} ${status}: ${ajv.errorsText()}`;
    },
  };
}

describe('/openapi.json, compared with the running service', () => {
  const UNAVAILABLE = 503;
  /** Needs an OpenID provider: see http-platform-sign-in.spec.ts. */
  const WITH_OIDC_SIGN_OUT = 200;

  let service: Service;
  let api: ReturnType<typeof openApiOf>;
  let world: World;
  beforeAll(async () => {
    // A key that is used again and again is soon refused; one that is used a few times is not.
    service = await startService({
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '20',
      FORWARD_AUTH_ROUTES: routesFile(),
      ...ADMIN,
    });
    api = openApiOf((await service.person().call('GET', '/openapi.json')).body);
    world = await makeWorld();
  });
  afterAll(() => service?.stop());

  async function makeWorld(): Promise<World> {
    const [owner, other] = [await newOwner(service, ADMIN_PROFILE), await newOwner(service)];
    const [used, busy, revoked, open, permitted] = await Promise.all([1, 2, 3, 4, 5].map(() => owner.person.newKey()));
    await owner.person.revoke(revoked!.apiKey.id);
    const [others] = await Promise.all([1, 2, 3, 4, 5].map(() => other.person.newKey()));
    return {
      owner,
      cookieToEnd: (await service.person().signIn(owner.email)).cookie,
      stranger: () => service.person(),
      keyId: open!.apiKey.id,
      revokedKeyId: revoked!.apiKey.id,
      othersKeyId: others!.apiKey.id,
      personAtMaximum: other.person,
      fullKey: used!.fullKey,
      permittedKey: permitted!.fullKey,
      busyKey: busy!.fullKey,
    };
  }

  const all = Object.entries(PROVOCATIONS).flatMap(([name, byStatus]) =>
    Object.entries(byStatus).map(([status, provoke]) => ({ name, status: Number(status), provoke })),
  );

  test('names the credentials of each call: a session or a JWT of the platform, or an opaque service token', async () => {
    const { components, paths } = (await service.person().call('GET', '/openapi.json')).body;
    expect(components.securitySchemes).toMatchObject({
      cookie: { type: 'apiKey', in: 'cookie' },
      platform_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      service_token: { type: 'http', scheme: 'bearer', bearerFormat: 'opaque' },
    });
    const securityOf = (path: string, method: string) => paths[path][method].security;
    const owners = [{ cookie: [] }, { platform_token: [] }];
    expect(securityOf('/v1/api-keys', 'post')).toEqual(owners);
    expect(securityOf('/v1/audit-events', 'get')).toEqual(owners);
    expect(securityOf('/v1/session', 'post')).toContainEqual({});
    expect(securityOf('/v1/introspect', 'post')).toContainEqual({ service_token: [] });
    expect(securityOf('/livez', 'get')).toBeUndefined();
  });

  test('has the same routes as the table of provocations', () => {
    expect(Object.keys(PROVOCATIONS).sort()).toEqual(api.names.sort());
  });

  test('has a row for each of its routes in docs/api.md, and for no other', () => {
    const rows = [...textOf('docs/api.md').matchAll(/^ *\| `([A-Z]+ \/[^`|]*)` *\|/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(api.names.sort());
  });

  test.each(Object.keys(PROVOCATIONS))('has the same statuses for %s as the table of provocations', (name) => {
    const documented = api.statusesOf(name).filter((status) => status !== UNAVAILABLE);
    const elsewhere = name === 'DELETE /v1/session' ? [WITH_OIDC_SIGN_OUT] : [];
    expect([...elsewhere, ...Object.keys(PROVOCATIONS[name]!).map(Number)]).toEqual(documented);
  });

  test.each(all)('describes the answer $status of $name', async ({ name, status, provoke }) => {
    const answer = await provoke(world);
    expect([answer.status, api.problemOf(name, answer)]).toEqual([status, undefined]);
  });

  describe('without its database', () => {
    const server = () => {
      const url = new URL(service.databaseUrl);
      const name = url.pathname.slice(1);
      url.pathname = '/postgres';
      return { url: url.href, name };
    };
    beforeAll(async () => {
      const { url, name } = server();
      await sql(url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await sql(url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await eventually(async () => (await service.person().call('GET', '/readyz')).status === UNAVAILABLE);
    });
    afterAll(async () => {
      const { url, name } = server();
      await sql(url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    });

    test.each(Object.entries(PROVOCATIONS))(
      'describes the answer of %s, which is 503 if it needs the database',
      async (name, byStatus) => {
        const [[success, provoke]] = Object.entries(byStatus) as [[string, (typeof all)[0]['provoke']]];
        const answer = await provoke(world);
        const expected = api.statusesOf(name).includes(UNAVAILABLE) ? UNAVAILABLE : Number(success);
        expect([answer.status, api.problemOf(name, answer)]).toEqual([expected, undefined]);
      },
    );
  });
});

describe('the management routes', () => {
  const ROUTES = [...MANAGEMENT_ROUTES, ...ADMIN_ROUTES];

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
