export type ErrorCode =
  | 'invalid_fields'
  | 'invalid_request'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'unauthenticated'
  | 'invalid_api_key'
  | 'invalid_credentials'
  | 'no_account'
  | 'incorrect_password'
  | 'confirmation_required'
  | 'forbidden'
  | 'cross_site_request'
  | 'operation_not_allowed'
  | 'not_found'
  | 'account_not_found'
  | 'another_person'
  | 'email_taken'
  | 'stale_version'
  | 'account_deleted'
  | 'account_not_active'
  | 'kind_is_fixed'
  | 'keys_not_allowed'
  | 'not_a_service_account'
  | 'too_many_active_keys'
  | 'api_key_not_active'
  | 'api_key_paused'
  | 'rotation_pending'
  | 'idempotency_key_reused'
  | 'too_many_attempts'
  | 'too_many_changes'
  | 'rate_limited'
  | 'busy'
  | 'unavailable';

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

interface ErrorDetails {
  readonly errors?: readonly FieldError[];
  readonly apiKeyId?: string;
  readonly apiKeyStatus?: string;
  readonly retryAfterSeconds?: number;
  /** Why a sign-in at the platform failed, if that is known. `misconfigured`: it refuses our client id or secret. */
  readonly signInFailure?: 'cancelled' | 'misconfigured';
  /** With confirmation_required: which sign-in would confirm the change. */
  readonly freshSignIn?: { readonly maxAgeSeconds: number; readonly acrValues: readonly string[] };
}

/** A request that can't be carried out. The expected outcomes of a validation are verdicts, not errors. */
export class LatchkeyError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'LatchkeyError';
  }
}

/** The answer for an address that does not exist, that a setting has closed, or that this person must not know. */
export function nothingHere(): LatchkeyError {
  return new LatchkeyError('not_found', 'There is nothing at this address');
}

/** When the work of a transaction throws a Refusal, the transaction commits what was found, and then throws it. */
export class Refusal extends LatchkeyError {}

export function invalidFields(errors: readonly FieldError[]): LatchkeyError {
  const text = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new LatchkeyError('invalid_fields', text, { errors });
}

/** Returns what is wrong with a value, or undefined when the value is valid. */
export type Rule = (value: unknown) => string | undefined;

/** Accepts undefined, but not null. */
export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value));
}

export function wholeNumberProblem(value: unknown, least: number, most: number): string | undefined {
  const holds = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  return holds ? undefined : `must be a whole number from ${least} to ${most}`;
}

export function lengthProblem(text: string, maxLength: number): string | undefined {
  return text.length >= 1 && text.length <= maxLength ? undefined : `must be 1 to ${maxLength} characters`;
}

/** Throws one error that names every invalid field. */
export function requireFields(checks: Readonly<Record<string, string | undefined>>): void {
  const errors = Object.entries(checks).flatMap(([field, message]) => (message ? [{ field, message }] : []));
  if (errors.length > 0) throw invalidFields(errors);
}
