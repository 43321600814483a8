import type { LeaseOffer } from '#application/validation-ports.js';
import type { Validation } from '#application/validation/validate-key.js';
import { rateLimitWindowSeconds, type RateDecision, type RateLimit } from '#domain/rate-limit.js';
import type { Attribute } from '#domain/accounts/entitlements.js';
import { ACCESS_LEVELS, type AccessLevel } from '#domain/accounts/access-level.js';
import { type Denial, DENIAL_REASONS, type DenialReason, type Grant } from '#domain/keys/verdict.js';
import { oncePerList } from '#domain/once-per-list.js';
import { OUTWARD_DENIAL } from '../../shared/key-answers.js';
import { mapError } from '../../shared/error-table.js';
import type * as proto from '../generated/types.js';
import { timestamp, wireNames } from '../protos.js';
import { type EncodedGrant, grants, numbersOf } from './validation-messages.js';

const ACCESS = numbersOf<AccessLevel, proto.AccessLevel>('AccessLevel', wireNames('ACCESS_LEVEL', ACCESS_LEVELS));

/** Only for the calling service, never for the client. */
const REASON = numbersOf<DenialReason, proto.Reason>('Reason', wireNames('REASON', DENIAL_REASONS));

/** @param service the limit whose window callers learn from the initial metadata */
export function toAnswer(
  requestId: string,
  { verdict, rate, proven, lease }: Validation,
  service: RateLimit,
): proto.ValidateKeyResponse {
  const rateLimit = rate ? toRateLimit(rate, service) : null;
  return verdict.granted
    ? { requestId, grant: toGrant(verdict), rateLimit, ...(lease && { lease: toLease(lease) }) }
    : { requestId, denial: toDenial(verdict, rate, proven), rateLimit };
}

function toLease({ lengthMs, uses, rights }: LeaseOffer): proto.Lease {
  return { lengthMs, uses, hasOwnPermissions: rights.hasSubset, allowedNetworks: [...(rights.allowedNetworks ?? [])] };
}

/** The error that a unary call would throw, as an answer on a stream. */
export function toFailure(requestId: string, error: unknown): proto.ValidateKeyResponse {
  const { grpc: code, message } = mapError(error);
  return { requestId, failure: { code, message } };
}

function toGrant({ keyId, ownerId, access, permissions, attributes, expiresAt }: Grant): EncodedGrant {
  const encoded = [encodedPermissions(permissions)];
  if (attributes.length > 0) encoded.push(encodedAttributes(attributes));
  return { keyId, ownerId, access: ACCESS[access], expiresAt: timestamp(expiresAt), $unknowns: encoded };
}

/** Encoding a hundred permissions takes as long as a fifth of a validation. */
const encodedPermissions = oncePerList((permissions: readonly string[]) =>
  grants.encode({ permissions: [...permissions] }),
);
const encodedAttributes = oncePerList((attributes: readonly Attribute[]) =>
  grants.encode({ attributes: [...attributes] }),
);

function toDenial({ reason }: Denial, rate: RateDecision | undefined, proven: Validation['proven']): proto.Denial {
  const { httpStatus, message } = OUTWARD_DENIAL[reason];
  const retryAfter = reason === 'rate-limited' && rate ? duration(rate.retryAfterMicros) : null;
  const { keyId = '', ownerId = '' } = proven ?? {};
  return { reason: REASON[reason], httpStatus, message, retryAfter, keyId, ownerId };
}

function toRateLimit({ limit, remaining, resetAfterMicros }: RateDecision, service: RateLimit): proto.RateLimit {
  const window = limit === service ? null : { seconds: rateLimitWindowSeconds(limit), nanos: 0 };
  return { limit: limit.burst, remaining, resetAfter: duration(resetAfterMicros), window };
}

function duration(micros: number): proto.Duration {
  const whole = Math.ceil(micros);
  return { seconds: Math.floor(whole / 1_000_000), nanos: (whole % 1_000_000) * 1000 };
}
