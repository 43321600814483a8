import type { Validation } from '#application/validation/validate-key.js';
import { type ErrorCode, LatchkeyError } from '#domain/errors.js';
import { DENIAL_REASONS, type DenialReason, type Grant, isFailedAuthentication } from '#domain/keys/verdict.js';
import { type RateDecision, rateLimitWindowSeconds } from '#domain/rate-limit.js';
import { attributesHeader } from '#domain/accounts/entitlements.js';
import { oncePerList } from '#domain/once-per-list.js';

/** What the client with the key gets. */
interface OutwardDenial {
  readonly httpStatus: 401 | 403 | 429;
  readonly message: string;
  readonly code: ErrorCode;
}

const UNAUTHENTICATED: OutwardDenial = { httpStatus: 401, message: 'invalid api key', code: 'invalid_api_key' };
const FORBIDDEN: OutwardDenial = { httpStatus: 403, message: 'operation not allowed', code: 'operation_not_allowed' };
const LIMITED: OutwardDenial = { httpStatus: 429, message: 'too many requests', code: 'rate_limited' };

function outwardDenial(reason: DenialReason): OutwardDenial {
  if (reason === 'rate-limited') return LIMITED;
  return isFailedAuthentication(reason) && reason !== 'address-not-allowed' ? UNAUTHENTICATED : FORBIDDEN;
}

/** To clients, every 401 looks the same, and so does every 403. */
export const OUTWARD_DENIAL = Object.fromEntries(
  DENIAL_REASONS.map((reason) => [reason, outwardDenial(reason)]),
) as Readonly<Record<DenialReason, OutwardDenial>>;

/** The answer to a request with a key, in HTTP terms, the same for every door. */
export interface KeyAnswer {
  readonly status: 200 | 401 | 403 | 429 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; undefined for a grant. */
  readonly body: string | undefined;
}

/** For a proxy, which passes the identity headers to the service and the rest to the client. */
export function answerToProxy(validation: Validation): KeyAnswer {
  const { verdict } = validation;
  const answer = answerToClient(validation);
  if (!verdict.granted) return answer;
  return { ...answer, headers: { ...answer.headers, ...EXPOSED, ...identityHeaders(verdict) } };
}

/** What a client with a key learns. The guard in a resource service answers the same. */
export function answerToClient({ verdict, rate }: Validation): KeyAnswer {
  const headers = rate ? rateLimitHeaders(rate) : {};
  if (verdict.granted) {
    return { status: 200, headers: { ...headers, [KEY_EXPIRES]: verdict.expiresAt.toISOString() }, body: undefined };
  }
  const { httpStatus, message } = OUTWARD_DENIAL[verdict.reason];
  if (httpStatus === 401) return refusal(401, message, { ...headers, 'WWW-Authenticate': 'Bearer' });
  // RFC 6750 has no error for the wrong address: more scope would not help.
  if (verdict.reason === 'address-not-allowed') return refusal(403, message, headers);
  if (httpStatus === 403) return refusal(403, message, { ...headers, 'WWW-Authenticate': insufficientScope(verdict) });
  if (!rate) return refusal(httpStatus, message, headers);
  return refusal(429, message, { ...headers, 'Retry-After': String(retryAfterSeconds(rate)) });
}

/** The same answer, with this challenge if it is a 401. */
export function challenging(answer: KeyAnswer, challenge: string): KeyAnswer {
  return answer.status === 401 ? { ...answer, headers: { ...answer.headers, 'WWW-Authenticate': challenge } } : answer;
}

/** A store is unavailable, so no request gets in. */
export const UNAVAILABLE = refusal(503, 'service unavailable', {});

/** RateLimit-Policy and RateLimit, as the IETF draft "RateLimit header fields for HTTP" writes them. */
export function rateLimitHeaders({ limit, remaining, resetAfterMicros }: RateDecision): Record<string, string> {
  const policy = `"key";q=${limit.burst};w=${rateLimitWindowSeconds(limit)}`;
  return { 'RateLimit-Policy': policy, RateLimit: `"key";r=${remaining};t=${wholeSeconds(resetAfterMicros)}` };
}

/** Rounded up. */
export function wholeSeconds(micros: number): number {
  return Math.ceil(micros / 1_000_000);
}

/** RFC 6750, section 3. `scope` names the missing permission, if that is the reason. */
export function insufficientScope({ missing }: { readonly missing?: string }): string {
  const scope = missing ? `, scope="${missing}"` : '';
  return `Bearer error="insufficient_scope"${scope}`;
}

/** The same denial as an error, for the routes that answer with problems (RFC 9457). */
export function denialError(reason: DenialReason, rate: RateDecision | undefined): LatchkeyError {
  const { code, message } = OUTWARD_DENIAL[reason];
  const isLimited = reason === 'rate-limited' && rate !== undefined;
  return new LatchkeyError(code, message, isLimited ? { retryAfterSeconds: retryAfterSeconds(rate) } : {});
}

/** Whole seconds, at least 1: with 0 the client would retry in a tight loop. */
function retryAfterSeconds({ retryAfterMicros }: RateDecision): number {
  return Math.max(1, wholeSeconds(retryAfterMicros));
}

/** A time (RFC 3339). */
const KEY_EXPIRES = 'Latchkey-Key-Expires';
/** Added to the list of headers that the service itself exposes to pages of other origins. */
const EXPOSED = { 'Access-Control-Expose-Headers': KEY_EXPIRES };

/** Always all of them, even if empty, so that a client's header of the same name never reaches the service. */
function identityHeaders({ ownerId, keyId, access, permissions, attributes }: Grant): Record<string, string> {
  return {
    'X-Latchkey-Owner': ownerId,
    'X-Latchkey-Key': keyId,
    'X-Latchkey-Access': access,
    'X-Latchkey-Permissions': permissions.join(' '),
    'X-Latchkey-Attributes': encodedAttributes(attributes),
  };
}

const encodedAttributes = oncePerList(attributesHeader);

function refusal(status: 401 | 403 | 429 | 503, message: string, headers: Record<string, string>): KeyAnswer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify({ message }) };
}
