import type { Denial } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Denial.js';
import type { Grant } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Grant.js';
import type { ValidateKeyResponse } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';

/** Answers as the real service gives them. */
export const rateLimit = { limit: 100, remaining: 99, resetAfter: { seconds: 0, nanos: 50_000_000 } };

export function granted(differences: Partial<Grant> = {}): ValidateKeyResponse {
  const grant: Grant = {
    keyId: 'key-1',
    ownerId: 'owner-1',
    access: 'ACCESS_LEVEL_READ_AND_WRITE',
    permissions: ['systems:read', 'systems:write'],
    attributes: [{ name: 'tenant', value: 'acme' }],
    expiresAt: { seconds: 1_900_000_000, nanos: 250_000_000 },
    ...differences,
  };
  return { grant, rateLimit };
}

export function denied(differences: Partial<Denial> = {}): ValidateKeyResponse {
  return { denial: { reason: 'REASON_INVALID_KEY', httpStatus: 401, message: 'invalid api key', ...differences } };
}

export function rateLimited(seconds: number, nanos: number): ValidateKeyResponse {
  return {
    ...denied({ reason: 'REASON_RATE_LIMITED', httpStatus: 429, retryAfter: { seconds, nanos } }),
    rateLimit: { limit: 100, remaining: 0, resetAfter: { seconds: 5, nanos: 0 } },
  };
}

/** Refusals: the status and message that the client gets, the service's answer, and header fields for the client. */
export const REFUSALS: [number, string, ValidateKeyResponse, Readonly<Record<string, string>>][] = [
  [401, 'invalid api key', denied(), { 'www-authenticate': 'Bearer' }],
  [
    403,
    'operation not allowed',
    { ...denied({ reason: 'REASON_READ_ONLY_KEY', httpStatus: 403 }), rateLimit },
    { ratelimit: '"key";r=99;t=1', 'www-authenticate': 'Bearer error="insufficient_scope", scope="systems:write"' },
  ],
  [429, 'too many requests', rateLimited(0, 1), { 'retry-after': '1', ratelimit: '"key";r=0;t=5' }],
  [503, 'service unavailable', {}, {}],
];
