import { Metadata } from '@grpc/grpc-js';
import { rateLimitWindowSeconds, type RateLimit } from '../../domain/rate-limit.js';

/**
 * The one thing that a guard needs for the RateLimit-Policy header and that no message carries: `w`, the seconds in
 * which a whole burst refills. Sent as initial metadata.
 */
export class RateLimitWindow {
  private readonly seconds: string;

  constructor(limit: RateLimit) {
    this.seconds = String(rateLimitWindowSeconds(limit));
  }

  metadata(): Metadata {
    const metadata = new Metadata();
    metadata.set('latchkey-ratelimit-window', this.seconds);
    return metadata;
  }
}
