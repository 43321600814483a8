import { status as grpc } from '@grpc/grpc-js';
import { type ErrorCode, invalidFields, LatchkeyError } from '#domain/errors.js';

interface ErrorMapping {
  readonly http: number;
  readonly grpc: grpc;
  readonly title: string;
}

/** What clients see of each error. Any error that is missing here is our own fault: 500 and INTERNAL. */
const TABLE: Readonly<Record<ErrorCode, ErrorMapping>> = {
  invalid_fields: { http: 400, grpc: grpc.INVALID_ARGUMENT, title: 'Invalid fields' },
  invalid_request: { http: 400, grpc: grpc.INVALID_ARGUMENT, title: 'Invalid request' },
  unsupported_media_type: { http: 415, grpc: grpc.INVALID_ARGUMENT, title: 'Unsupported media type' },
  payload_too_large: { http: 413, grpc: grpc.RESOURCE_EXHAUSTED, title: 'Payload too large' },
  unauthenticated: { http: 401, grpc: grpc.UNAUTHENTICATED, title: 'Not signed in' },
  invalid_api_key: { http: 401, grpc: grpc.UNAUTHENTICATED, title: 'Invalid API key' },
  invalid_credentials: { http: 401, grpc: grpc.UNAUTHENTICATED, title: 'Sign-in failed' },
  no_account: { http: 401, grpc: grpc.UNAUTHENTICATED, title: 'No account here' },
  confirmation_required: { http: 401, grpc: grpc.UNAUTHENTICATED, title: 'Confirmation required' },
  incorrect_password: { http: 403, grpc: grpc.PERMISSION_DENIED, title: 'Incorrect password' },
  cross_site_request: { http: 403, grpc: grpc.PERMISSION_DENIED, title: 'Cross-site request' },
  forbidden: { http: 403, grpc: grpc.PERMISSION_DENIED, title: 'Forbidden' },
  operation_not_allowed: { http: 403, grpc: grpc.PERMISSION_DENIED, title: 'Operation not allowed' },
  keys_not_allowed: { http: 403, grpc: grpc.PERMISSION_DENIED, title: 'API keys not allowed' },
  not_found: { http: 404, grpc: grpc.NOT_FOUND, title: 'Not found' },
  account_not_found: { http: 404, grpc: grpc.NOT_FOUND, title: 'Account not found' },
  another_person: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Another person' },
  email_taken: { http: 409, grpc: grpc.ALREADY_EXISTS, title: 'Email taken' },
  stale_version: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Stale version' },
  account_deleted: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Account deleted' },
  account_not_active: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Account not active' },
  kind_is_fixed: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Kind is fixed' },
  not_a_service_account: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Not a service account' },
  too_many_active_keys: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Too many API keys' },
  api_key_not_active: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'API key not active' },
  api_key_paused: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'API key paused' },
  rotation_pending: { http: 409, grpc: grpc.FAILED_PRECONDITION, title: 'Rotation pending' },
  idempotency_key_reused: { http: 409, grpc: grpc.ALREADY_EXISTS, title: 'Already created' },
  too_many_attempts: { http: 429, grpc: grpc.RESOURCE_EXHAUSTED, title: 'Too many attempts' },
  too_many_changes: { http: 429, grpc: grpc.RESOURCE_EXHAUSTED, title: 'Too many changes' },
  rate_limited: { http: 429, grpc: grpc.RESOURCE_EXHAUSTED, title: 'Too many requests' },
  busy: { http: 503, grpc: grpc.UNAVAILABLE, title: 'Busy' },
  unavailable: { http: 503, grpc: grpc.UNAVAILABLE, title: 'Service unavailable' },
};

const FAULT: ErrorMapping = { http: 500, grpc: grpc.INTERNAL, title: 'Internal error' };
const FAULT_MESSAGE = 'Something went wrong on our side';

interface MappedError extends ErrorMapping {
  readonly code: ErrorCode | 'internal';
  /** Safe to show. */
  readonly message: string;
}

export function mapError(error: unknown): MappedError {
  if (!(error instanceof LatchkeyError)) return { ...FAULT, code: 'internal', message: FAULT_MESSAGE };
  return { ...TABLE[error.code], code: error.code, message: error.message };
}

/** The same error, with its fields spelled as in `proto/`: `displayName` becomes `display_name`. */
export function inProtoSpelling(error: unknown): unknown {
  const errors = error instanceof LatchkeyError ? error.details.errors : undefined;
  if (!errors) return error;
  const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return invalidFields(errors.map(({ field, message }) => ({ field: inSnakeCase(field), message })));
}
