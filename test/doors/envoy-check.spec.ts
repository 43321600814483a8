import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Enum, Field, ReflectionObject, Type } from 'protobufjs';
import { OPERATIONS } from '#domain/keys/verdict.js';
import { isPermission } from '#domain/accounts/permission.js';
import { loadProto } from '#infrastructure/inbound/grpc/protos.js';
import { eventually } from '../support/eventually.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { type Service, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { root } from '../../scripts/lib/paths.mjs';
import { excerpt, identityOf, recipeFilter, recipeRoutes, settingsOf } from './support/envoy-recipe.js';
import { ExtAuthz, type Incoming } from './support/ext-authz.js';
import { guarantees } from './guarantees.js';
import { OVERRIDES } from './overrides.js';
import { ENVOY_AT_EDGE_DOOR, ENVOY_BY_ROUTES } from './recipes.js';
import { envoyApi } from './support/envoy-api.js';

describe("Envoy's ext_authz", () => {
  /** What the recipes send: deploy/envoy.yaml for reads, the excerpt in docs/edge.md for everything else. */
  const READS = settingsOf(recipeRoutes[0]!);
  const WRITES = settingsOf(excerpt.routes[0]);
  const ENVIRONMENT = { LATCHKEY_SERVICE_TOKEN: 'dev-validator-token' };

  let service: Service;
  let envoy: ExtAuthz;
  let owner: Owner;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' });
    envoy = new ExtAuthz(service.grpcTarget, identityOf(recipeFilter, ENVIRONMENT));
    owner = await newOwner(service, { attributes: { items: [{ name: 'tenant', value: 'acme' }] } });
  });
  afterAll(async () => {
    envoy.close();
    await service.stop();
  });

  const newKey = async (order: object = {}, of = owner) => {
    const { apiKey, fullKey } = await of.person.newKey(order);
    const done = () => of.person.revoke(apiKey.id);
    return {
      id: apiKey.id,
      expiresAt: apiKey.expiresAt,
      fullKey,
      done,
      with: (headers: object = {}) => withKey(fullKey, headers),
    };
  };
  const withKey = (fullKey: string, headers: object = {}): Incoming => ({
    headers: { authorization: `Bearer ${fullKey}`, ...headers },
  });
  const lastFailure = async () =>
    (await sql(service.databaseUrl, `SELECT * FROM audit_events WHERE reason IS NOT NULL ORDER BY id DESC LIMIT 1`))[0];

  describe('a good key', () => {
    test('is passed on as its owner without the key string, and the client gets its rate limit', async () => {
      const key = await newKey({ access: 'read-only' });
      const { code, forwarded, headers } = await envoy.pass(key.with({ accept: 'application/json' }), READS);
      expect(code).toBe(status.OK);
      expect(forwarded).toEqual({
        accept: 'application/json',
        'x-latchkey-owner': owner.id,
        'x-latchkey-key': key.id,
        'x-latchkey-access': 'read-only',
        'x-latchkey-permissions': 'systems:read',
        'x-latchkey-attributes': 'tenant="acme"',
      });
      expect(headers).toEqual({
        'ratelimit-policy': '"key";q=3;w=3',
        ratelimit: '"key";r=2;t=1',
        'latchkey-key-expires': key.expiresAt,
        'access-control-expose-headers': 'Latchkey-Key-Expires',
      });
      await key.done();
    });

    test('of an owner without permissions passes where none is required, without the identity that the client claims', async () => {
      const nobody = await newOwner(service, { permissions: [] });
      const { with: from } = await newKey({}, nobody);
      const claims = {
        'x-latchkey-owner': 'root',
        'x-latchkey-access': 'all',
        'x-latchkey-permissions': 'users:write',
        'x-latchkey-attributes': 'tenant="root"',
      };
      const { forwarded } = await envoy.pass(from(claims), { permission: '' });
      expect(forwarded).toMatchObject({
        'x-latchkey-owner': nobody.id,
        'x-latchkey-access': 'read-and-write',
        'x-latchkey-permissions': '',
        'x-latchkey-attributes': '',
      });
    });

    test.each([
      ['POST', WRITES, 200],
      ['PATCH', WRITES, 200],
      ['DELETE', WRITES, 403],
      ['PROPFIND', READS, 403],
      ['POST', { ...READS, operation: 'read' }, 200],
      ['GET', { ...READS, operation: 'destroy' }, 403],
      ['GET', { permission: 'billing:read' }, 403],
    ])('with read-and-write access: %s on a route with %j is answered %d', async (method, settings, expected) => {
      const key = await newKey();
      expect(await envoy.pass({ ...key.with(), method }, settings)).toMatchObject({ status: expected });
      await key.done();
    });

    test('with read-only access gets 403 for a write, with its rate limit and the missing permission', async () => {
      const key = await newKey({ access: 'read-only' });
      const denied = await envoy.pass({ ...key.with(), method: 'POST' }, WRITES);
      expect(denied).toEqual({
        code: status.PERMISSION_DENIED,
        status: 403,
        headers: {
          'cache-control': 'no-store',
          'content-type': 'application/json',
          'ratelimit-policy': '"key";q=3;w=3',
          ratelimit: '"key";r=2;t=1',
          'www-authenticate': 'Bearer error="insufficient_scope", scope="systems:write"',
        },
        body: '{"message":"operation not allowed"}',
        forwarded: undefined,
        message: '',
      });
      await key.done();
    });

    test('past its rate limit gets 429 and the time of the next attempt', async () => {
      const key = await newKey();
      const limited = await eventually(async () => {
        const outcome = await envoy.pass(key.with(), READS);
        return outcome.status !== 200 && outcome;
      });
      expect(limited).toMatchObject({
        code: status.RESOURCE_EXHAUSTED,
        status: 429,
        headers: {
          'retry-after': '1',
          ratelimit: expect.stringMatching(/^"key";r=0;t=\d$/),
          'content-type': 'application/json',
        },
        body: '{"message":"too many requests"}',
      });
      await key.done();
    });
  });

  describe('a client without a valid key', () => {
    const refused = {
      code: status.UNAUTHENTICATED,
      status: 401,
      headers: { 'cache-control': 'no-store', 'content-type': 'application/json', 'www-authenticate': 'Bearer' },
      body: '{"message":"invalid api key"}',
      forwarded: undefined,
      message: '',
    };

    test('gets the same 401 for every reason', async () => {
      const { fullKey, done } = await newKey();
      const twice = { headers: { authorization: `Bearer ${fullKey},Bearer ${fullKey}` } };
      const others = ['', `Basic ${fullKey}`, fullKey, `Bearer  ${fullKey}`, `Bearer ${unknownKey()}`];
      const requests = [{}, twice, ...others.map((authorization) => ({ headers: { authorization } }))];
      for (const request of requests) expect(await envoy.pass(request, READS)).toEqual(refused);
      await done();
    });

    test('gets 401 with a revoked key on the next request, with the rate limit of a proven secret', async () => {
      const key = await newKey();
      await key.done();
      const { headers, ...answer } = await envoy.pass(key.with(), READS);
      expect(answer).toEqual({ ...refused, headers: undefined });
      expect(headers).toMatchObject(refused.headers);
    });

    test('is in the audit trail, with the address that Envoy saw, its User-Agent and its request id', async () => {
      await envoy.pass({ headers: { 'user-agent': 'curl/8', 'x-request-id': 'req-1' } }, READS);
      expect(await lastFailure()).toMatchObject({
        reason: 'invalid-key',
        client_ip: '203.0.113.9',
        user_agent: 'curl/8',
        request_id: 'req-1',
      });
      await envoy.pass({}, READS);
      expect(await lastFailure()).toMatchObject({ user_agent: null, request_id: '7734191919' });
    });
  });

  describe('a route with wrong settings', () => {
    test.each([
      ['no settings', {}, 'permission is missing'],
      ['an invalid permission', { permission: 'systems' }, 'permission must read resource:action'],
      ['an unknown operation', { ...READS, operation: 'peek' }, 'operation must be one of'],
    ])(
      'refuses everyone with %s: 403 for a good key, 401 without one, and the reason in the message for Envoy',
      async (_, settings, why) => {
        const key = await newKey();
        const good = await envoy.pass(key.with(), settings);
        expect(good).toMatchObject({ status: 403, body: '{"message":"operation not allowed"}' });
        expect(good.message).toContain(`context_extensions: ${why}`);
        expect((await envoy.pass({}, settings)).status).toBe(401);
        await key.done();
      },
    );
  });

  test('while PostgreSQL does not answer, every request gets 503 instead of a gRPC error', async () => {
    const key = await newKey();
    const hurried = await startService({ DATABASE_URL: service.databaseUrl, DATABASE_PATIENCE_MS: '120' });
    const away = new ExtAuthz(hurried.grpcTarget, bearer('dev-validator-token'));
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    expect(await away.pass(key.with(), READS)).toEqual({
      code: status.UNAVAILABLE,
      status: 503,
      headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
      body: '{"message":"service unavailable"}',
      forwarded: undefined,
      message: '',
    });
    await holder.query('ROLLBACK');
    await holder.end();
    await eventually(async () => (await away.pass(key.with(), READS)).status === 200);
    away.close();
    await hurried.stop();
    await key.done();
  });

  test.each([
    ['no token', () => new Metadata(), status.UNAUTHENTICATED],
    ['an API key as its token', (fullKey: string) => bearer(fullKey), status.UNAUTHENTICATED],
    ['the token of another role', () => bearer('dev-accounts-token'), status.PERMISSION_DENIED],
  ])('an Envoy with %s is refused with a gRPC error', async (_, identity, code) => {
    const key = await newKey();
    const stranger = new ExtAuthz(service.grpcTarget, identity(key.fullKey));
    await expect(stranger.pass(key.with(), READS)).rejects.toMatchObject({ code });
    stranger.close();
    await key.done();
  });
});

describe.each([ENVOY_BY_ROUTES, ENVOY_AT_EDGE_DOOR])('$name', (recipe) => guarantees(recipe));

const REMOVED = [...OVERRIDES, 'X-Latchkey-Status', 'X-Forwarded-Method', 'X-Forwarded-Uri'];
const gatewayFile = (name: string) => readFileSync(join(root, `deploy/gateways/${name}.yaml`), 'utf8');

test.each(['envoy-gateway', 'gateway-api-grpc', 'gateway-api-http', 'nginx-gateway-fabric'])(
  'deploy/gateways/%s.yaml removes every header that overrides the validated request',
  (name) => {
    const lines = gatewayFile(name).split('\n');
    const removed = lines.flatMap((line) => /^ +(?:- (X-.*)|proxy_set_header (X-.*) "";)$/.exec(line)?.slice(1) ?? []);
    expect(removed).toEqual(expect.arrayContaining(REMOVED));
  },
);

test('deploy/gateways/apisix.yaml removes every header that overrides the validated request', () => {
  const patterns = [...gatewayFile('apisix').matchAll(/name:find\("(.*?)"\)/g)].map(
    ([, lua]) => new RegExp(lua!.replaceAll('%', '\\')),
  );
  const left = REMOVED.filter((name) => !patterns.some((pattern) => pattern.test(name.toLowerCase())));
  expect(left).toEqual([]);
});

describe('deploy/envoy.yaml', () => {
  test('answers every request with 503 while Latchkey is unavailable', () => {
    const { failure_mode_allow, status_on_error } = recipeFilter.typed_config;
    expect({ failure_mode_allow, status_on_error }).toEqual({
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
    });
  });

  test('names a permission on every route, and contains no service token', () => {
    expect(recipeRoutes.length).toBeGreaterThanOrEqual(3);
    const named = recipeRoutes.filter((route) => !('direct_response' in route));
    for (const { permission, operation = 'read' } of named.map(settingsOf)) {
      expect([permission !== undefined && isPermission(permission), OPERATIONS]).toEqual([
        true,
        expect.arrayContaining([operation]),
      ]);
    }
    expect(identityOf(recipeFilter, { LATCHKEY_SERVICE_TOKEN: 'from-outside' }).getMap()).toEqual({
      authorization: 'Bearer from-outside',
    });
  });

  test('sets an operation for POST alone, so that no DELETE counts as a read', () => {
    const withOperation = recipeRoutes.filter((route) => 'operation' in settingsOf(route));
    const methods = withOperation.map(
      ({ match }) => match.headers?.find(({ name }) => name === ':method')?.string_match,
    );
    expect(methods).toEqual([{ exact: 'POST' }]);
  });

  test('contains the excerpt in docs/edge.md', () => {
    expect(recipeRoutes).toContainEqual(excerpt.routes[0]);
  });
});

const FILE = 'envoy/service/auth/v3/external_auth.proto';
const ours = loadProto(FILE).resolveAll();
const theirs = envoyApi([FILE], { camelCase: true });

function everyObject(inside: ReflectionObject): ReflectionObject[] {
  return [inside, ...((inside as Type).nestedArray ?? []).flatMap(everyObject)];
}

const isType = (object: ReflectionObject): object is Type => 'fieldsArray' in object;
/** The fields and values on the wire, under the names of both sides. */
const wireOf = ({ id, repeated, map, type, resolvedType }: Field) => ({
  id,
  many: repeated || map,
  type: map || resolvedType?.name === 'Entry' ? 'map<string, string>' : (resolvedType?.fullName ?? type),
});
const FIELDS = everyObject(ours)
  .filter(isType)
  .filter(({ name }) => name !== 'Entry')
  .flatMap(({ fullName, fieldsArray }) => fieldsArray.map((field) => ({ fullName, field, name: field.name })));
const ENUMS = everyObject(ours).filter((object): object is Enum => 'values' in object);

test('our proto file has fields and enums to compare', () =>
  expect([FIELDS.length > 20, ENUMS.length]).toEqual([true, 2]));

test.each(FIELDS)("$fullName.$name has the number and type of Envoy's field", ({ fullName, field, name }) => {
  expect(wireOf(field)).toEqual(wireOf(theirs.lookupType(fullName).fields[name]!.resolve()));
});

test.each(ENUMS)("$fullName has the numbers of Envoy's enum", ({ fullName, values }) => {
  expect(theirs.lookupEnum(fullName).values).toMatchObject(values);
});

test("the method has the name and types of Envoy's method", () => {
  const check = ({ root }: ReflectionObject) => {
    const { Check } = root!.lookupService('envoy.service.auth.v3.Authorization').methods;
    const { resolvedRequestType, resolvedResponseType, requestStream, responseStream } = Check!;
    return [resolvedRequestType?.fullName, resolvedResponseType?.fullName, requestStream, responseStream];
  };
  expect(check(ours)[0]).toBe('.envoy.service.auth.v3.CheckRequest');
  expect(check(ours)).toEqual(check(theirs));
});
