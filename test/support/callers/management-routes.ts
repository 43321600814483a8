import { randomUUID } from 'node:crypto';
import { PASSWORD, type Owner } from './owners.js';

export interface ManagementRoute {
  readonly name: string;
  readonly method: string;
  /** The status that a caller with a valid session gets. */
  readonly success: number;
  /** The status that a caller without any credential gets. */
  readonly anonymous: number;
  /** Path and body of a call that would succeed. @param keyId an active key of the owner's */
  order(owner: Owner, keyId: string): { path: string; body?: object };
}

const CREATE = { name: 'From a matrix', access: 'read-only', password: PASSWORD };

/** Every route for managing one's own keys; openapi.spec.ts compares them with /openapi.json. */
export const MANAGEMENT_ROUTES: readonly ManagementRoute[] = [
  get('/v1/session'),
  get('/v1/accounts'),
  get('/v1/api-keys'),
  get('/v1/permissions'),
  get('/v1/audit-events'),
  route('GET /v1/api-keys/{id}', 200, 401, (_, keyId) => ({ path: `/v1/api-keys/${keyId}` })),
  route('POST /v1/api-keys', 201, 401, () => ({ path: '/v1/api-keys', body: CREATE })),
  route('PATCH /v1/api-keys/{id}', 200, 401, (_, keyId) => ({
    path: `/v1/api-keys/${keyId}`,
    body: { name: 'From a matrix' },
  })),
  route('POST /v1/api-keys/{id}/rotate', 201, 401, (_, keyId) => ({
    path: `/v1/api-keys/${keyId}/rotate`,
    body: { password: PASSWORD },
  })),
  route('POST /v1/api-keys/{id}/pause', 200, 401, (_, keyId) => ({
    path: `/v1/api-keys/${keyId}/pause`,
    body: { minutes: 5 },
  })),
  route('POST /v1/api-keys/{id}/handled', 200, 401, (_, keyId) => ({
    path: `/v1/api-keys/${keyId}/handled`,
    body: { mark: 'expired 2026-11-27' },
  })),
  route('POST /v1/api-keys/{id}/resume', 200, 401, (_, keyId) => ({
    path: `/v1/api-keys/${keyId}/resume`,
    body: { password: PASSWORD },
  })),
  route('POST /v1/api-keys/{id}/revoke', 200, 401, (_, keyId) => ({ path: `/v1/api-keys/${keyId}/revoke` })),
  route('DELETE /v1/session', 204, 204, () => ({ path: '/v1/session' })),
  route('POST /v1/session', 204, 204, ({ email }) => ({ path: '/v1/session', body: { email, password: PASSWORD } })),
];

/** What an account must have for the routes below, where the service is started with ADMIN. */
export const ADMIN_PERMISSION = 'api-keys:administer';
export const ADMIN = { ADMIN_PERMISSION };
export const ADMIN_PROFILE = { permissions: ['systems:read', 'systems:write', ADMIN_PERMISSION] };

/** For the keys of all owners. The owner is an administrator. */
export const ADMIN_ROUTES: readonly ManagementRoute[] = [
  route('GET /v1/admin/api-keys', 200, 404, () => ({ path: '/v1/admin/api-keys' })),
  route('GET /v1/admin/accounts', 200, 404, ({ id }) => ({ path: `/v1/admin/accounts?query=${id}` })),
  route('GET /v1/admin/audit-events', 200, 404, () => ({ path: '/v1/admin/audit-events' })),
  route('GET /v1/admin/api-keys/{id}', 200, 404, (_, keyId) => ({ path: `/v1/admin/api-keys/${keyId}` })),
  route('POST /v1/admin/api-keys/{id}/pause', 200, 404, (_, keyId) => ({
    path: `/v1/admin/api-keys/${keyId}/pause`,
    body: { minutes: 5 },
  })),
  route('POST /v1/admin/api-keys/{id}/resume', 200, 404, (_, keyId) => ({
    path: `/v1/admin/api-keys/${keyId}/resume`,
    body: { password: PASSWORD },
  })),
  route('POST /v1/admin/api-keys/revoke', 200, 404, () => ({
    path: '/v1/admin/api-keys/revoke',
    body: { ids: [randomUUID()], password: PASSWORD },
  })),
  route('POST /v1/admin/api-keys/{id}/revoke', 200, 404, (_, keyId) => ({
    path: `/v1/admin/api-keys/${keyId}/revoke`,
    body: { password: PASSWORD },
  })),
];

function get(path: string): ManagementRoute {
  return route(`GET ${path}`, 200, 401, () => ({ path }));
}

function route(name: string, success: number, anonymous: number, order: ManagementRoute['order']): ManagementRoute {
  return { name, method: name.split(' ')[0]!, success, anonymous, order };
}
