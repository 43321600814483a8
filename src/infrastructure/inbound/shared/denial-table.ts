import type { ErrorCode } from '../../../domain/errors.js';
import type { DenialReason } from '../../../domain/keys/verdict.js';

/** What the client with the key gets. */
interface OutwardDenial {
  readonly httpStatus: 401 | 403 | 429;
  readonly message: string;
  readonly code: ErrorCode;
}

const UNAUTHENTICATED: OutwardDenial = { httpStatus: 401, message: 'invalid api key', code: 'invalid_api_key' };
const FORBIDDEN: OutwardDenial = { httpStatus: 403, message: 'operation not allowed', code: 'operation_not_allowed' };
const LIMITED: OutwardDenial = { httpStatus: 429, message: 'too many requests', code: 'rate_limited' };

/** To clients, every 401 looks the same, and so does every 403. */
export const OUTWARD_DENIAL: Readonly<Record<DenialReason, OutwardDenial>> = {
  'invalid-key': UNAUTHENTICATED,
  revoked: UNAUTHENTICATED,
  expired: UNAUTHENTICATED,
  'owner-suspended': UNAUTHENTICATED,
  'owner-deleted': UNAUTHENTICATED,
  'address-not-allowed': FORBIDDEN,
  'rate-limited': LIMITED,
  'operation-not-allowed': FORBIDDEN,
  'read-only-key': FORBIDDEN,
  'missing-permission': FORBIDDEN,
};
