import type { Validation } from '../../application/validate-key.js';
import type { RateDecision } from '../../domain/rate-limit.js';
import type { Verdict } from '../../domain/verdict.js';
import { OUTWARD_DENIAL } from '../denial-table.js';
import { mapError } from '../error-table.js';
import { ACCESS, REASON } from './enums.js';
import type { ValidateKeyResponse } from './generated/latchkey/v1/ValidateKeyResponse.js';

export function toResponse(requestId: string, { verdict, rate }: Validation): ValidateKeyResponse {
  return {
    requestId,
    ...outcome(verdict, rate),
    rateLimit: rate
      ? { limit: rate.limit, remaining: rate.remaining, resetAfter: duration(rate.resetAfterMicros) }
      : null,
  };
}

/** What a unary call would have thrown, as one answer among others on a stream. */
export function toFailure(requestId: string, error: unknown): ValidateKeyResponse {
  const { grpc: code, message } = mapError(error);
  return { requestId, failure: { code, message } };
}

function outcome(verdict: Verdict, rate: RateDecision | undefined): ValidateKeyResponse {
  if (!verdict.granted) {
    const retryAfter = verdict.reason === 'rate-limited' && rate ? duration(rate.retryAfterMicros) : null;
    const { httpStatus, message } = OUTWARD_DENIAL[verdict.reason];
    return { denial: { reason: REASON[verdict.reason], httpStatus, message, retryAfter } };
  }
  const { keyId, ownerId, access, permissions, expiresAt } = verdict;
  return {
    grant: { keyId, ownerId, access: ACCESS[access], permissions: [...permissions], expiresAt: timestamp(expiresAt) },
  };
}

function timestamp(at: Date): { seconds: number; nanos: number } {
  const ms = at.getTime();
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
}

function duration(micros: number): { seconds: number; nanos: number } {
  const whole = Math.ceil(micros);
  return { seconds: Math.floor(whole / 1_000_000), nanos: (whole % 1_000_000) * 1000 };
}
