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
  | 'operation_not_allowed'
  | 'not_found'
  | 'account_not_found'
  | 'email_taken'
  | 'stale_version'
  | 'account_deleted'
  | 'too_many_active_keys'
  | 'api_key_not_active'
  | 'rotation_pending'
  | 'idempotency_key_reused'
  | 'too_many_attempts'
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
  /** With confirmation_required: the sign-in that is asked for. */
  readonly freshSignIn?: { readonly maxAgeSeconds: number; readonly acrValues: readonly string[] };
}

/** A request that can't be carried out. Expected outcomes of a validation are verdicts, never errors. */
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

/**
 * A change is refused, and what was found on the way is saved all the same: a transaction whose work throws a Refusal commits,
 * and throws it after that.
 */
export class Refusal extends LatchkeyError {}

export function invalidFields(errors: readonly FieldError[]): LatchkeyError {
  const text = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new LatchkeyError('invalid_fields', text, { errors });
}

/** A rule answers what is wrong with a value, or undefined when it holds. */
export type Rule = (value: unknown) => string | undefined;

/** Absent is fine; null is not absent. */
export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value));
}

export function lengthProblem(text: string, maxLength: number): string | undefined {
  return text.length >= 1 && text.length <= maxLength ? undefined : `must be 1 to ${maxLength} characters`;
}

/** Throws one error that names every field whose rule does not hold. */
export function requireFields(checks: Readonly<Record<string, string | undefined>>): void {
  const errors = Object.entries(checks).flatMap(([field, message]) => (message ? [{ field, message }] : []));
  if (errors.length > 0) throw invalidFields(errors);
}
