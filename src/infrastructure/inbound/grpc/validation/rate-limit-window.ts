import { Metadata } from '@grpc/grpc-js';
import { rateLimitWindowSeconds, type RateLimit } from '../../../../domain/rate-limit.js';

/**
 * The one thing that a guard needs for the RateLimit-Policy header and that no message carries: `w`, the seconds in
 * which a whole burst refills. Sent as initial metadata.
 */
export class RateLimitWindow {
  readonly metadata = new Metadata();

  constructor(limit: RateLimit) {
    this.metadata.set('latchkey-ratelimit-window', String(rateLimitWindowSeconds(limit)));
  }
}
