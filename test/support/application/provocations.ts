import { randomUUID } from 'node:crypto';
import { MAX_TOKENS, TOKEN_TYPE } from '#infrastructure/inbound/http/leaks/leaked-tokens.controller.js';
import { unknownKey } from '../callers/key-strings.js';
import { PASSWORD, type Owner } from '../callers/owners.js';
import type { Answer, Person } from '../callers/person.js';

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

/**
 * The calls that make a route answer with each of its documented statuses, except 503, which the first call of an entry
 * gets without a database. A new route needs one more entry.
 */
type Provocations = Readonly<Record<string, Readonly<Record<number, Provocation>>>>;

const CREATE = { name: 'From a table', access: 'read-only', password: PASSWORD };
const PAUSE = { minutes: 5 };
const HANDLED = { mark: 'expired 2026-11-27' };
const CONFIRMED = { password: PASSWORD };
const FORWARD_AUTH = '/v1/forward-auth?mode=caddy';
/** The headers of a proxy for a request to `path`, which FORWARD_AUTH_ROUTES may name. */
const forwarded = (fullKey: string, path = '/open') => ({
  authorization: `Bearer ${fullKey}`,
  'x-forwarded-method': 'GET',
  'x-forwarded-uri': path,
});
const bearer = (fullKey: string) => ({ authorization: `Bearer ${fullKey}` });
const REPORTER = { authorization: 'dev-reporter-token' };

export const PROVOCATIONS: Provocations = {
  'GET /livez': { 200: ({ stranger }) => stranger().call('GET', '/livez') },
  'GET /readyz': { 200: ({ stranger }) => stranger().call('GET', '/readyz') },
  'GET /metrics': { 200: ({ stranger }) => stranger().call('GET', '/metrics') },
  'GET /v1/session': {
    200: ({ owner }) => owner.person.call('GET', '/v1/session'),
    ...ownersOnly('GET', '/v1/session'),
  },
  'GET /v1/accounts': {
    200: ({ owner }) => owner.person.call('GET', '/v1/accounts'),
    ...ownersOnly('GET', '/v1/accounts'),
  },
  'GET /v1/api-keys': {
    200: ({ owner }) => owner.person.call('GET', '/v1/api-keys'),
    400: ({ owner }) => owner.person.call('GET', '/v1/api-keys?limit=51'),
    ...ofAccount('GET', '/v1/api-keys'),
  },
  'GET /v1/permissions': {
    200: ({ owner }) => owner.person.call('GET', '/v1/permissions'),
    ...ofAccount('GET', '/v1/permissions'),
  },
  'GET /v1/audit-events': {
    200: ({ owner }) => owner.person.call('GET', '/v1/audit-events'),
    400: ({ owner }) => owner.person.call('GET', '/v1/audit-events?cursor=nonsense'),
    ...ofAccount('GET', '/v1/audit-events'),
  },
  'POST /v1/session': {
    204: ({ stranger, owner }) => stranger().call('POST', '/v1/session', { email: owner.email, password: PASSWORD }),
    ...ownersOnly('POST', '/v1/session'),
    ...malformedBodies('POST', '/v1/session'),
    401: ({ stranger }) => stranger().call('POST', '/v1/session', { email: 'no@example.com', password: 'wrong' }),
  },
  'DELETE /v1/session': {
    204: ({ stranger, cookieToEnd }) => stranger().call('DELETE', '/v1/session', undefined, { cookie: cookieToEnd }),
    ...ownersOnly('DELETE', '/v1/session'),
    ...malformedBodies('DELETE', '/v1/session'),
    401: ({ stranger }) => stranger().call('DELETE', '/v1/session', undefined, bearer(unknownKey())),
  },
  'POST /v1/api-keys': {
    201: ({ owner }) => owner.person.call('POST', '/v1/api-keys', CREATE),
    ...ofAccount('POST', '/v1/api-keys'),
    ...malformedBodies('POST', '/v1/api-keys'),
    409: ({ personAtMaximum }) => personAtMaximum.call('POST', '/v1/api-keys', CREATE),
  },
  'GET /v1/forward-auth': {
    200: ({ stranger, permittedKey }) => stranger().call('GET', FORWARD_AUTH, undefined, forwarded(permittedKey)),
    400: ({ stranger }) => stranger().call('GET', '/v1/forward-auth?mode=nonsense'),
    401: ({ stranger }) => stranger().call('GET', FORWARD_AUTH),
    403: ({ stranger, permittedKey }) =>
      stranger().call('GET', FORWARD_AUTH, undefined, forwarded(permittedKey, '/elsewhere')),
    429: untilLimited(({ stranger, busyKey }) => stranger().call('GET', FORWARD_AUTH, undefined, forwarded(busyKey))),
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
    200: ({ stranger, permittedKey }) => stranger().call('GET', '/v1/key', undefined, bearer(permittedKey)),
    401: ({ stranger }) => stranger().call('GET', '/v1/key'),
    429: untilLimited(({ stranger, busyKey }) => stranger().call('GET', '/v1/key', undefined, bearer(busyKey))),
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
    200: ({ stranger }) => stranger().call('GET', '/v1/revocable_token_types', undefined, REPORTER),
    401: ({ stranger }) => stranger().call('GET', '/v1/revocable_token_types'),
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
  'GET /v1/api-keys/{id}': {
    200: ({ owner, keyId }) => owner.person.call('GET', `/v1/api-keys/${keyId}`),
    ...ofAccount('GET', '/v1/api-keys/x'),
    404: ({ owner }) => owner.person.call('GET', '/v1/api-keys/x'),
  },
  'PATCH /v1/api-keys/{id}': {
    200: ({ owner, keyId }) => owner.person.rename(keyId, { name: 'Renamed' }),
    ...ofAccount('PATCH', '/v1/api-keys/x'),
    ...malformedBodies('PATCH', '/v1/api-keys/x'),
    404: ({ owner }) => owner.person.rename('x', { name: 'Renamed' }),
  },
  'POST /v1/api-keys/{id}/rotate': {
    201: ({ owner, keyId }) => owner.person.rotate(keyId),
    ...ofAccount('POST', '/v1/api-keys/x/rotate'),
    ...malformedBodies('POST', '/v1/api-keys/x/rotate'),
    404: ({ owner }) => owner.person.rotate('x'),
    409: ({ owner, revokedKeyId }) => owner.person.rotate(revokedKeyId),
  },
  'POST /v1/api-keys/{id}/pause': {
    200: ({ owner, keyId }) => owner.person.call('POST', `/v1/api-keys/${keyId}/pause`, PAUSE),
    ...ofAccount('POST', '/v1/api-keys/x/pause'),
    ...malformedBodies('POST', '/v1/api-keys/x/pause'),
    404: ({ owner }) => owner.person.call('POST', '/v1/api-keys/x/pause', PAUSE),
    409: ({ owner, revokedKeyId }) => owner.person.call('POST', `/v1/api-keys/${revokedKeyId}/pause`, PAUSE),
  },
  'POST /v1/api-keys/{id}/handled': {
    200: ({ owner, keyId }) => owner.person.call('POST', `/v1/api-keys/${keyId}/handled`, HANDLED),
    ...ofAccount('POST', '/v1/api-keys/x/handled'),
    ...malformedBodies('POST', '/v1/api-keys/x/handled'),
    404: ({ owner }) => owner.person.call('POST', '/v1/api-keys/x/handled', HANDLED),
  },
  'POST /v1/api-keys/{id}/resume': {
    200: ({ owner, keyId }) => owner.person.call('POST', `/v1/api-keys/${keyId}/resume`, CONFIRMED),
    ...ofAccount('POST', '/v1/api-keys/x/resume'),
    ...malformedBodies('POST', '/v1/api-keys/x/resume'),
    404: ({ owner }) => owner.person.call('POST', '/v1/api-keys/x/resume', CONFIRMED),
    409: ({ owner, revokedKeyId }) => owner.person.call('POST', `/v1/api-keys/${revokedKeyId}/resume`, CONFIRMED),
  },
  'POST /v1/api-keys/{id}/revoke': {
    200: ({ owner, keyId }) => owner.person.call('POST', `/v1/api-keys/${keyId}/revoke`),
    ...ofAccount('POST', '/v1/api-keys/x/revoke'),
    ...malformedBodies('POST', '/v1/api-keys/x/revoke'),
    404: ({ owner }) => owner.person.call('POST', '/v1/api-keys/x/revoke'),
    409: ({ owner, revokedKeyId }) => owner.person.call('POST', `/v1/api-keys/${revokedKeyId}/revoke`),
  },
  'GET /v1/admin/api-keys': {
    200: ({ owner }) => owner.person.call('GET', '/v1/admin/api-keys'),
    400: ({ owner }) => owner.person.call('GET', '/v1/admin/api-keys?cursor=nonsense'),
    ...administratorsOnly('GET', '/v1/admin/api-keys'),
  },
  'GET /v1/admin/accounts': {
    200: ({ owner }) => owner.person.call('GET', `/v1/admin/accounts?query=${owner.email}`),
    400: ({ owner }) => owner.person.call('GET', '/v1/admin/accounts'),
    ...administratorsOnly('GET', '/v1/admin/accounts'),
  },
  'GET /v1/admin/audit-events': {
    200: ({ owner }) => owner.person.call('GET', '/v1/admin/audit-events'),
    400: ({ owner }) => owner.person.call('GET', '/v1/admin/audit-events?key=x'),
    ...administratorsOnly('GET', '/v1/admin/audit-events'),
  },
  'GET /v1/admin/api-keys/{id}': {
    200: ({ owner, othersKeyId }) => owner.person.call('GET', `/v1/admin/api-keys/${othersKeyId}`),
    ...administratorsOnly('GET', '/v1/admin/api-keys/x'),
  },
  'POST /v1/admin/api-keys/{id}/pause': {
    200: ({ owner, othersKeyId }) => owner.person.call('POST', `/v1/admin/api-keys/${othersKeyId}/pause`, PAUSE),
    ...administratorsOnly('POST', '/v1/admin/api-keys/x/pause'),
    ...malformedBodies('POST', '/v1/admin/api-keys/x/pause'),
    404: ({ owner }) => owner.person.call('POST', '/v1/admin/api-keys/x/pause', PAUSE),
    409: ({ owner, revokedKeyId }) => owner.person.call('POST', `/v1/admin/api-keys/${revokedKeyId}/pause`, PAUSE),
  },
  'POST /v1/admin/api-keys/{id}/resume': {
    200: ({ owner, othersKeyId }) => owner.person.call('POST', `/v1/admin/api-keys/${othersKeyId}/resume`, CONFIRMED),
    ...administratorsOnly('POST', '/v1/admin/api-keys/x/resume'),
    ...malformedBodies('POST', '/v1/admin/api-keys/x/resume'),
    404: ({ owner }) => owner.person.call('POST', '/v1/admin/api-keys/x/resume', CONFIRMED),
    409: ({ owner, revokedKeyId }) => owner.person.call('POST', `/v1/admin/api-keys/${revokedKeyId}/resume`, CONFIRMED),
  },
  'POST /v1/admin/api-keys/revoke': {
    200: ({ owner }) =>
      owner.person.call('POST', '/v1/admin/api-keys/revoke', { ids: [randomUUID()], password: PASSWORD }),
    ...administratorsOnly('POST', '/v1/admin/api-keys/revoke'),
    ...malformedBodies('POST', '/v1/admin/api-keys/revoke'),
    404: ({ personAtMaximum }) =>
      personAtMaximum.call('POST', '/v1/admin/api-keys/revoke', { ids: [randomUUID()], password: PASSWORD }),
  },
  'POST /v1/admin/api-keys/{id}/revoke': {
    200: (world) => revokeAny(world, world.othersKeyId),
    ...administratorsOnly('POST', '/v1/admin/api-keys/x/revoke'),
    ...malformedBodies('POST', '/v1/admin/api-keys/x/revoke'),
    404: (world) => revokeAny(world, 'x'),
    409: (world) => revokeAny(world, world.revokedKeyId),
  },
};

/** Of routes about the keys of one account. */
function ofAccount(method: string, path: string): Provocations[string] {
  return {
    ...ownersOnly(method, path),
    400: ({ owner }) => owner.person.call(method, `${path}?account=a&account=b`),
    404: ({ owner }) => owner.person.call(method, `${path}?account=nobody`),
  };
}

function ownersOnly(method: string, path: string): Record<401 | 403 | 429, Provocation> {
  return {
    401: ({ stranger }) => stranger().call(method, path),
    403: ({ stranger, fullKey }) => stranger().call(method, path, undefined, bearer(fullKey)),
    429: untilLimited(({ stranger, busyKey }) => stranger().call(method, path, undefined, bearer(busyKey))),
  };
}

function administratorsOnly(method: string, path: string): Record<401 | 403 | 404 | 429, Provocation> {
  return {
    ...ownersOnly(method, path),
    401: ({ stranger }) => stranger().call(method, path, undefined, bearer(unknownKey())),
    // Another key, because one alone reaches its rate limit.
    403: ({ stranger, permittedKey }) => stranger().call(method, path, undefined, bearer(permittedKey)),
    404: ({ personAtMaximum }) => personAtMaximum.call(method, path),
  };
}

function revokeAny({ owner }: World, keyId: string): Promise<Answer> {
  return owner.person.call('POST', `/v1/admin/api-keys/${keyId}/revoke`, { password: PASSWORD, note: 'From a table' });
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

function introspect({ stranger }: World, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const form = { ...bearer('dev-validator-token'), 'content-type': 'application/x-www-form-urlencoded', ...headers };
  return stranger().call('POST', '/v1/introspect', body, form);
}

function reportLeak({ stranger }: World, keys: string[], headers: Record<string, string> = {}): Promise<Answer> {
  return stranger().call('POST', '/v1/leaked-keys', { keys }, headers);
}

function revokeTokens(
  { stranger }: World,
  token: unknown,
  headers: Record<string, string> = {},
  entries = 1,
): Promise<Answer> {
  const list = Array.from({ length: entries }, () => ({ type: TOKEN_TYPE, token }));
  return stranger().call('POST', '/v1/revoke_tokens', list, { ...REPORTER, ...headers });
}

function malformedBodies(method: string, path: string): Record<400 | 413 | 415, Provocation> {
  const send = ({ owner }: World, body: string, headers = {}) => owner.person.call(method, path, body, headers);
  return {
    400: (world) => send(world, '{'),
    413: (world) => send(world, JSON.stringify({ name: 'x'.repeat(20_000) })),
    415: (world) => send(world, 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }),
  };
}
