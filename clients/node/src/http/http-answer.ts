import type { Decision, Principal, RateLimit } from '../decision.js';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One text for each status, so that a client does not learn why its key was refused. */
const messages = {
  401: 'invalid api key',
  403: 'operation not allowed',
  429: 'too many requests',
  503: 'service unavailable',
} as const;

/** The answer to a refused request, the same for every HTTP framework. */
export function refusalAnswer(refusal: Exclude<Decision, { allowed: true }>): HttpAnswer {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (refusal.status === 401) headers['WWW-Authenticate'] = refusal.challenge ?? 'Bearer';
  // RFC 6750 has no error for the wrong address: more scope would not help.
  const isForbidden = refusal.status === 403 && refusal.reason !== 'ADDRESS_NOT_ALLOWED';
  if (isForbidden) headers['WWW-Authenticate'] = insufficientScope(refusal.missingPermission);
  if (refusal.status === 429) headers['Retry-After'] = String(refusal.retryAfterSeconds ?? 1);
  return { status: refusal.status, headers, body: JSON.stringify({ message: messages[refusal.status] }) };
}

/** RFC 6750, section 3. A text that a scope cannot have (RFC 6749, section 3.3) is left out. */
function insufficientScope(missing: string | undefined): string {
  const scope = missing && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(missing) ? `, scope="${missing}"` : '';
  return `Bearer error="insufficient_scope"${scope}`;
}

/** The RateLimit fields (IETF draft-ietf-httpapi-ratelimit-headers), for every answer, granted or refused. */
export function rateLimitHeaders(rateLimit: RateLimit | undefined): Record<string, string> {
  if (!rateLimit) return {};
  const { limit, remaining, resetSeconds, windowSeconds } = rateLimit;
  const window = windowSeconds === undefined ? '' : `;w=${windowSeconds}`;
  return {
    'RateLimit-Policy': `"key";q=${limit}${window}`,
    RateLimit: `"key";r=${remaining};t=${resetSeconds}`,
  };
}

const keyExpires = 'Latchkey-Key-Expires';
/** The headers of an answer that a page of another origin may read (Fetch standard). */
const exposedHeaders = 'Access-Control-Expose-Headers';

/** Under a lease many requests share a principal, and to write a time takes as long as the rest of the headers. */
const writtenExpiry = new WeakMap<Principal, string>();

/** When the key expires (RFC 3339), for every granted answer. */
export function expiryHeaders(principal: Principal): Record<string, string> {
  let written = writtenExpiry.get(principal);
  if (written === undefined) writtenExpiry.set(principal, (written = principal.expiresAt.toISOString()));
  return { [keyExpires]: written };
}

/**
 * Every header that the decision adds to an answer. For a refusal it includes those of `refusalAnswer`.
 *
 * @param present the answer's current value of a header. The exposed headers are kept, and ours are added
 */
export function decisionHeaders(decision: Decision, present: (name: string) => unknown): Record<string, string> {
  const headers = rateLimitHeaders(decision.rateLimit);
  if (decision.isPrivate && present('Cache-Control') === undefined) headers['Cache-Control'] = 'private';
  if (!decision.allowed) return Object.assign(headers, refusalAnswer(decision).headers);
  Object.assign(headers, expiryHeaders(decision.principal));
  const exposed = present(exposedHeaders);
  headers[exposedHeaders] = exposed === undefined ? keyExpires : withOurs(exposed);
  return headers;
}

function withOurs(exposed: unknown): string {
  return [exposed, keyExpires]
    .flat()
    .filter((name) => typeof name === 'string' && name !== '')
    .join(', ');
}
