import type { DenialReason, Denied, Granted, RateLimit } from './decision.js';
import type { Denial__Output as Denial } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Denial.js';
import type { Grant__Output as Grant } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Grant.js';
import type { Duration__Output as Duration } from '../../../src/infrastructure/inbound/grpc/generated/google/protobuf/Duration.js';
import type { Timestamp__Output as Timestamp } from '../../../src/infrastructure/inbound/grpc/generated/google/protobuf/Timestamp.js';
import type { ValidateKeyResponse__Output as Response } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';

/** An answer that this guard cannot read. The request is refused. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * Reads the service's answer. A complete grant is accepted as it is.
 *
 * @param permission the one that the question contained, or empty
 * @param windowSeconds from the call's initial metadata, for an answer without a window of its own
 * @throws {UnreadableAnswer} the outcome is missing, incomplete or unknown to this guard
 */
export function readAnswer(
  response: Response,
  permission: string,
  windowSeconds: number | undefined,
): Granted | Denied {
  const rateLimit = rateLimitOf(response, windowSeconds);
  switch (response.outcome) {
    case 'grant':
      return { allowed: true, principal: principalFrom(response.grant), rateLimit };
    case 'denial':
      return { allowed: false, ...refusalFrom(response.denial, permission), rateLimit };
    default:
      throw new UnreadableAnswer(`outcome ${response.outcome ?? 'missing'}`);
  }
}

function principalFrom(grant: Grant | null | undefined): Granted['principal'] {
  if (!grant?.keyId || !grant.ownerId || !grant.expiresAt) throw new UnreadableAnswer('incomplete grant');
  const expiresAt = toDate(grant.expiresAt);
  if (Number.isNaN(expiresAt.getTime())) throw new UnreadableAnswer('invalid expiry');
  return Object.freeze({
    keyId: grant.keyId,
    ownerId: grant.ownerId,
    access: accessOf(grant),
    permissions: Object.freeze([...grant.permissions]),
    attributes: attributesOf(grant),
    expiresAt,
  });
}

function accessOf(grant: Grant): Granted['principal']['access'] {
  if (grant.access === 'ACCESS_LEVEL_READ_ONLY') return 'read-only';
  if (grant.access === 'ACCESS_LEVEL_READ_AND_WRITE') return 'read-and-write';
  throw new UnreadableAnswer('unknown access level');
}

function attributesOf({ attributes }: Grant): Granted['principal']['attributes'] {
  if (attributes.length === 0) return NO_ATTRIBUTES;
  const byName = Object.create(null) as Record<string, string>;
  for (const { name, value } of attributes) byName[name] = value;
  return Object.freeze(byName);
}

const NO_ATTRIBUTES = Object.freeze(Object.create(null) as Record<string, string>);

function refusalFrom(denial: Denial | null | undefined, permission: string): Omit<Denied, 'allowed' | 'rateLimit'> {
  const status = denial?.httpStatus;
  if (!denial || (status !== 401 && status !== 403 && status !== 429)) {
    throw new UnreadableAnswer(`denial with status ${status ?? 'missing'}`);
  }
  // With "Retry-After: 0" the client would retry in an endless loop.
  const retryAfterSeconds = status === 429 ? Math.max(1, secondsRoundedUp(denial.retryAfter)) : undefined;
  const reason = reasonOf(denial.reason);
  const missingPermission = isMissing(permission, reason) ? permission : undefined;
  const [keyId, ownerId] = [denial.keyId || undefined, denial.ownerId || undefined];
  return { status, reason, retryAfterSeconds, missingPermission, keyId, ownerId };
}

/** The same rule as at the service's other doors: a read-only key has only permissions to read. */
function isMissing(permission: string, reason: DenialReason): boolean {
  if (permission === '') return false;
  return reason === 'MISSING_PERMISSION' || (reason === 'READ_ONLY_KEY' && !permission.endsWith(':read'));
}

/**
 * A reason that this guard has no name for arrives as a number. The guard then denies with the status of that answer,
 * so that a new reason in the service needs no update of the guards.
 */
function reasonOf(reason: Denial['reason'] | number): DenialReason {
  if (reason === 'REASON_UNSPECIFIED') throw new UnreadableAnswer('denial without a reason');
  return typeof reason === 'string' ? (reason.slice('REASON_'.length) as DenialReason) : 'UNKNOWN';
}

function rateLimitOf({ rateLimit }: Response, windowSeconds: number | undefined): RateLimit | undefined {
  if (!rateLimit) return undefined;
  const { limit, remaining, resetAfter, window } = rateLimit;
  const own = window ? secondsRoundedUp(window) : windowSeconds;
  return { limit, remaining, resetSeconds: secondsRoundedUp(resetAfter), windowSeconds: own };
}

/** Whole seconds, rounded up, so that a client that waits this long never retries too early. Absent or negative: 0. */
export function secondsRoundedUp(duration: Duration | null): number {
  if (!duration) return 0;
  return Math.max(0, Number(duration.seconds) + (duration.nanos > 0 ? 1 : 0));
}

/** The instant, to the millisecond (rounded down). */
export function toDate({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1e6));
}
