import { MAX_TOKENS, TOKEN_TYPE } from '#infrastructure/inbound/http/leaks/leaked-tokens.controller.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { ADMIN_ROUTES, MANAGEMENT_ROUTES, type ManagementRoute } from '../support/callers/management-routes.js';
import { PASSWORD, type Owner } from '../support/callers/owners.js';
import type { Answer, Person } from '../support/callers/person.js';

/** The people and keys that the provocations below use. The owner is an administrator. */
export interface World {
  readonly owner: Owner;
  /** A session that a call will end. */
  readonly cookieToEnd: string;
  readonly stranger: () => Person;
  /** An active key of the owner, which a call will revoke. */
  readonly keyId: string;
  readonly revokedKeyId: string;
  /** Of another person. */
  readonly othersKeyId: string;
  /** A person with the maximum number of active keys. */
  readonly personAtMaximum: Person;
  /** Key strings: two with a few requests left, and one that is used until it is refused. */
  readonly fullKey: string;
  readonly permittedKey: string;
  readonly busyKey: string;
}

type Provocation = (world: World) => Promise<Answer>;
type Headers = Readonly<Record<string, string>>;
/** The calls that make a route answer with each of its documented statuses. */
type ByStatus = Readonly<Record<number, Provocation>>;

const bearer = (fullKey: string) => ({ authorization: `Bearer ${fullKey}` });
const get =
  (path: string, headersOf: (world: World) => Headers = () => ({})): Provocation =>
  (world) =>
    world.stranger().call('GET', path, undefined, headersOf(world));

const FORWARD_AUTH = '/v1/forward-auth?mode=caddy';
/** The headers of a proxy for a request to `path`, which FORWARD_AUTH_ROUTES may name. */
const forwarded = (fullKey: string, path = '/open') => ({
  ...bearer(fullKey),
  'x-forwarded-method': 'GET',
  'x-forwarded-uri': path,
});

const REPORTER = { authorization: 'dev-reporter-token' };

/** What differs between management routes. */
const SPECIAL: Readonly<Record<string, ByStatus>> = {
  'POST /v1/session': {
    401: ({ stranger }) => stranger().call('POST', '/v1/session', { email: 'no@example.com', password: 'wrong' }),
  },
  'DELETE /v1/session': {
    204: ({ stranger, cookieToEnd }) => stranger().call('DELETE', '/v1/session', undefined, { cookie: cookieToEnd }),
    401: ({ stranger }) => stranger().call('DELETE', '/v1/session', undefined, bearer(unknownKey())),
  },
  'POST /v1/api-keys': {
    409: ({ personAtMaximum }) =>
      personAtMaximum.call('POST', '/v1/api-keys', { name: 'One more', access: 'read-only', password: PASSWORD }),
  },
  'GET /v1/admin/api-keys': { 400: ({ owner }) => owner.person.call('GET', '/v1/admin/api-keys?cursor=nonsense') },
  'GET /v1/admin/accounts': { 400: ({ owner }) => owner.person.call('GET', '/v1/admin/accounts') },
  'GET /v1/admin/audit-events': { 400: ({ owner }) => owner.person.call('GET', '/v1/admin/audit-events?key=x') },
};

/** All statuses except 503, which the first call of an entry gets without a database. A new route needs one more entry. */
export const PROVOCATIONS: Readonly<Record<string, ByStatus>> = {
  'GET /livez': { 200: get('/livez') },
  'GET /readyz': { 200: get('/readyz') },
  'GET /metrics': { 200: get('/metrics') },
  'GET /v1/forward-auth': {
    200: get(FORWARD_AUTH, ({ permittedKey }) => forwarded(permittedKey)),
    400: get('/v1/forward-auth?mode=nonsense'),
    401: get(FORWARD_AUTH),
    403: get(FORWARD_AUTH, ({ permittedKey }) => forwarded(permittedKey, '/elsewhere')),
    429: untilLimited(get(FORWARD_AUTH, ({ busyKey }) => forwarded(busyKey))),
  },
  'POST /v1/introspect': {
    200: (world) => introspect(world, `token=${world.permittedKey}`),
    400: (world) => introspect(world, ''),
    401: (world) => introspect(world, 'token=x', { authorization: 'Bearer nobody' }),
    403: (world) => introspect(world, 'token=x', { authorization: 'Bearer dev-accounts-token' }),
    413: (world) => introspect(world, `token=${'x'.repeat(20_000)}`),
    415: (world) => introspect(world, '{}', { 'content-type': 'application/json' }),
    429: untilLimited((world) => introspect(world, `token=${world.busyKey}`)),
  },
  'GET /v1/key': {
    200: get('/v1/key', ({ permittedKey }) => bearer(permittedKey)),
    401: get('/v1/key'),
    429: untilLimited(get('/v1/key', ({ busyKey }) => bearer(busyKey))),
  },
  'POST /v1/leaked-keys': {
    202: (world) => reportLeak(world, ['hello']),
    400: (world) => reportLeak(world, []),
    403: (world) => reportLeak(world, ['hello'], { 'sec-fetch-site': 'cross-site' }),
    413: (world) => reportLeak(world, ['x'.repeat(300_000)]),
    415: (world) => reportLeak(world, ['hello'], { 'content-type': 'text/plain' }),
    429: untilLimited((world) => reportLeak(world, ['hello'])),
  },
  'GET /v1/revocable_token_types': {
    200: get('/v1/revocable_token_types', () => REPORTER),
    401: get('/v1/revocable_token_types'),
  },
  'POST /v1/revoke_tokens': {
    204: (world) => revokeTokens(world, 'x'),
    400: (world) => revokeTokens(world, null),
    401: (world) => revokeTokens(world, 'x', { authorization: 'nobody' }),
    403: (world) => revokeTokens(world, 'x', { 'sec-fetch-site': 'cross-site' }),
    413: (world) => revokeTokens(world, 'x'.repeat(1_100_000)),
    415: (world) => revokeTokens(world, 'x', { 'content-type': 'text/plain' }),
    429: untilLimited((world) => revokeTokens(world, 'x', {}, MAX_TOKENS)),
  },
  ...Object.fromEntries([...MANAGEMENT_ROUTES, ...ADMIN_ROUTES].map((route) => [route.name, ofManagement(route)])),
};

function ofManagement({ name, method, success, order }: ManagementRoute): ByStatus {
  const path = name.split(' ')[1]!.replace('{id}', 'x');
  const [isOfKey, isAdministration] = [name.includes('{id}'), path.startsWith('/v1/admin/')];
  const isOfAccount = /^\/v1\/(api-keys|permissions|audit-events)/.test(path);
  const about =
    (keyOf: (world: World) => string, person = ({ owner }: World) => owner.person): Provocation =>
    (world) => {
      const { path: ordered, body } = order(world.owner, keyOf(world));
      return person(world).call(method, ordered, body);
    };
  return {
    [success]: about(({ keyId, othersKeyId }) => (isAdministration ? othersKeyId : keyId)),
    401: ({ stranger }) => stranger().call(method, path, undefined, isAdministration ? bearer(unknownKey()) : {}),
    // Two keys, because one alone reaches its rate limit.
    403: ({ stranger, fullKey, permittedKey }) =>
      stranger().call(method, path, undefined, bearer(isAdministration ? permittedKey : fullKey)),
    429: untilLimited(({ stranger, busyKey }) => stranger().call(method, path, undefined, bearer(busyKey))),
    ...(isOfAccount && {
      400: ({ owner }) => owner.person.call(method, `${path}?account=a&account=b`),
      404: ({ owner }) => owner.person.call(method, `${path}?account=nobody`),
    }),
    ...(isAdministration && {
      404: about(
        () => 'x',
        ({ personAtMaximum }) => personAtMaximum,
      ),
    }),
    ...(method !== 'GET' && malformedBodies(method, path)),
    ...(isOfKey && { 404: about(() => 'x') }),
    ...(/\{id\}\/(rotate|pause|resume|revoke)$/.test(name) && { 409: about(({ revokedKeyId }) => revokedKeyId) }),
    ...SPECIAL[name],
  };
}

function untilLimited(call: Provocation): Provocation {
  return async (world) => {
    for (let attempt = 1; ; attempt += 1) {
      // Each request depends on the answer to the previous one.
      // oxlint-disable-next-line no-await-in-loop
      const answer = await call(world);
      if (answer.status === 429 || attempt === 100) return answer;
    }
  };
}

function introspect({ stranger }: World, body: string, headers: Headers = {}): Promise<Answer> {
  const form = { ...bearer('dev-validator-token'), 'content-type': 'application/x-www-form-urlencoded', ...headers };
  return stranger().call('POST', '/v1/introspect', body, form);
}

function reportLeak({ stranger }: World, keys: string[], headers: Headers = {}): Promise<Answer> {
  return stranger().call('POST', '/v1/leaked-keys', { keys }, headers);
}

function revokeTokens({ stranger }: World, token: unknown, headers: Headers = {}, entries = 1): Promise<Answer> {
  const list = Array.from({ length: entries }, () => ({ type: TOKEN_TYPE, token }));
  return stranger().call('POST', '/v1/revoke_tokens', list, { ...REPORTER, ...headers });
}

function malformedBodies(method: string, path: string): ByStatus {
  const send = ({ owner }: World, body: string, headers = {}) => owner.person.call(method, path, body, headers);
  return {
    400: (world) => send(world, '{'),
    413: (world) => send(world, JSON.stringify({ name: 'x'.repeat(20_000) })),
    415: (world) => send(world, 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }),
  };
}
