import { ApiProperty } from '@nestjs/swagger';
import { ACCESS_LEVELS } from '../../../../domain/keys/access.js';
import type { Grant } from '../../../../domain/keys/verdict.js';
import type { RateDecision } from '../../../../domain/rate-limit.js';
import { wholeSeconds } from '../../shared/key-answers.js';

class RateLimitView {
  @ApiProperty({ type: 'integer', description: 'Requests that the key may send at once after a rest' }) limit: number;
  @ApiProperty({ type: 'integer', description: 'Requests that are admitted right now' }) remaining: number;
  @ApiProperty({ type: 'integer', description: 'Until the limit is full again, rounded up' })
  resetAfterSeconds: number;

  constructor({ limit, remaining, resetAfterMicros }: RateDecision) {
    this.limit = limit;
    this.remaining = remaining;
    this.resetAfterSeconds = wholeSeconds(resetAfterMicros);
  }
}

export class OwnKeyView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ description: 'The account that the key acts as' }) ownerId: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: ACCESS_LEVELS }) access: string;
  @ApiProperty({ type: [String], description: 'What it may do, as of now' }) permissions: string[];
  @ApiProperty({ type: String, format: 'date-time' }) expiresAt: string;
  @ApiProperty({ type: RateLimitView }) rateLimit: RateLimitView;

  constructor({ keyId, ownerId, access, permissions, expiresAt }: Grant, name: string, rate: RateDecision) {
    this.id = keyId;
    this.ownerId = ownerId;
    this.name = name;
    this.access = access;
    this.permissions = [...permissions];
    this.expiresAt = expiresAt.toISOString();
    this.rateLimit = new RateLimitView(rate);
  }
}
