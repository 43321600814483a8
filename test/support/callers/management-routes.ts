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

const CONFIRMED = { password: PASSWORD };
const PAUSE = { minutes: 5 };

/** Every route for managing one's own keys; openapi.spec.ts compares them with /openapi.json. */
export const MANAGEMENT_ROUTES: readonly ManagementRoute[] = [
  route('GET /v1/session'),
  route('GET /v1/accounts'),
  route('GET /v1/api-keys'),
  route('GET /v1/permissions'),
  route('GET /v1/audit-events'),
  route('GET /v1/api-keys/{id}'),
  route('POST /v1/api-keys', { name: 'From a matrix', access: 'read-only', ...CONFIRMED }, 201),
  route('PATCH /v1/api-keys/{id}', { name: 'From a matrix' }),
  route('POST /v1/api-keys/{id}/rotate', CONFIRMED, 201),
  route('POST /v1/api-keys/{id}/pause', PAUSE),
  route('POST /v1/api-keys/{id}/handled', { mark: 'expired 2026-11-27' }),
  route('POST /v1/api-keys/{id}/resume', CONFIRMED),
  route('POST /v1/api-keys/{id}/revoke'),
  { ...route('DELETE /v1/session', undefined, 204), anonymous: 204 },
  {
    ...route('POST /v1/session', undefined, 204),
    anonymous: 204,
    order: ({ email }) => ({ path: '/v1/session', body: { email, password: PASSWORD } }),
  },
];

/** What an account must have for the routes below, where the service is started with ADMIN. */
export const ADMIN_PERMISSION = 'api-keys:administer';
export const ADMIN = { ADMIN_PERMISSION };
export const ADMIN_PROFILE = { permissions: ['systems:read', 'systems:write', ADMIN_PERMISSION] };

/** For the keys of all owners. The owner is an administrator. */
export const ADMIN_ROUTES = [
  route('GET /v1/admin/api-keys'),
  { ...route('GET /v1/admin/accounts'), order: ({ id }: Owner) => ({ path: `/v1/admin/accounts?query=${id}` }) },
  route('GET /v1/admin/audit-events'),
  route('GET /v1/admin/api-keys/{id}'),
  route('POST /v1/admin/api-keys/{id}/pause', PAUSE),
  route('POST /v1/admin/api-keys/{id}/resume', CONFIRMED),
  route('POST /v1/admin/api-keys/revoke', { ids: [randomUUID()], ...CONFIRMED }),
  route('POST /v1/admin/api-keys/{id}/revoke', CONFIRMED),
].map((each): ManagementRoute => ({ ...each, anonymous: 404 }));

function route(name: string, body?: object, success = 200): ManagementRoute {
  const [method = '', path = ''] = name.split(' ');
  const order = (_: Owner, keyId: string) => ({ path: path.replace('{id}', keyId), ...(body && { body }) });
  return { name, method, success, anonymous: 401, order };
}
