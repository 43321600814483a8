import type { Response } from 'express';
import { rateLimitWindowSeconds, type RateDecision, type RateLimit } from '../../domain/rate-limit.js';

/** RateLimit-Policy and RateLimit, as the IETF draft "RateLimit header fields for HTTP" writes them. */
export class RateLimitHeaders {
  private readonly policy: string;

  constructor(limit: RateLimit) {
    this.policy = `"key";q=${limit.burst};w=${rateLimitWindowSeconds(limit)}`;
  }

  set(response: Response, { remaining, resetAfterMicros }: RateDecision): void {
    response.set('RateLimit-Policy', this.policy);
    response.set('RateLimit', `"key";r=${remaining};t=${Math.ceil(resetAfterMicros / 1_000_000)}`);
  }
}
