interface FieldError {
  readonly field: string;
  readonly message: string;
}

interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  readonly apiKeyId?: string;
  readonly apiKeyStatus?: string;
}

/** The service understood the request and refused it (RFC 9457). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: string;
  readonly errors: readonly FieldError[];
  /** With idempotency_key_reused: the key created earlier. */
  readonly apiKeyId: string | undefined;
  /** With api_key_not_active: revoked or expired. */
  readonly apiKeyStatus: string | undefined;

  constructor(
    readonly status: number,
    body: ProblemBody,
    readonly retryAfterSeconds: number | undefined,
    /** With confirmation_required: see `readChallenge`. */
    readonly challenge: string | null,
  ) {
    super(body.detail ?? `HTTP ${status}`);
    this.code = body.code ?? 'unknown';
    this.errors = body.errors ?? [];
    this.apiKeyId = body.apiKeyId;
    this.apiKeyStatus = body.apiKeyStatus;
  }
}

/** No answer came. The request may or may not have arrived. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export async function readProblem(response: Response): Promise<ApiProblem> {
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false;
  const body = isProblem ? ((await response.json().catch(() => ({}))) as ProblemBody) : {};
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  return new ApiProblem(response.status, body, retryAfterSeconds, response.headers.get('www-authenticate'));
}

export function hasCode(error: unknown, ...codes: readonly string[]): error is ApiProblem {
  return error instanceof ApiProblem && codes.includes(error.code);
}

/** Whether another attempt may succeed, because the network, a proxy or a store failed. */
export function isTransient(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof ApiProblem && error.status >= 502 && error.status <= 504);
}

/** A sign-in that the service requires before it makes a key (RFC 9470). */
export interface FreshSignIn {
  /** The highest age of the sign-in: OpenID Connect's `max_age`. 0: the person signs in now. */
  readonly maxAgeSeconds: number;
  /** The classes that are strong enough: OpenID Connect's `acr_values`. Empty: any. */
  readonly acrValues: readonly string[];
}

/** Reads `WWW-Authenticate`. If it can't be read, only a new sign-in is certainly fresh. */
export function readChallenge(header: string | null): FreshSignIn {
  const [, maxAge = '0'] = /\bmax_age="?(\d+)"?/.exec(header ?? '') ?? [];
  const [, acrValues = ''] = /\bacr_values="([^"]*)"/.exec(header ?? '') ?? [];
  return { maxAgeSeconds: Number(maxAge), acrValues: acrValues.split(' ').filter((value) => value !== '') };
}
