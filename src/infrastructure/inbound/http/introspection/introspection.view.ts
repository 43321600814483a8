import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Grant } from '../../../../domain/keys/verdict.js';

const SECONDS = { type: 'integer', description: 'Seconds since 1970' } as const;

/** An introspection response (RFC 7662, section 2.2). Of a token that is not active it says nothing else. */
export class IntrospectionView {
  @ApiProperty() active: boolean;
  @ApiPropertyOptional({ description: 'The account that the key acts as' }) sub?: string;
  @ApiPropertyOptional({ description: 'Permissions, space-separated; absent when there are none' }) scope?: string;
  @ApiPropertyOptional(SECONDS) exp?: number;
  @ApiPropertyOptional(SECONDS) iat?: number;
  @ApiPropertyOptional({ format: 'uuid', description: "The key's id" }) client_id?: string;
  @ApiPropertyOptional({ enum: ['Bearer'] }) token_type?: string;

  constructor(grant?: Grant) {
    this.active = grant !== undefined;
    if (!grant) return;
    this.sub = grant.ownerId;
    if (grant.permissions.length > 0) this.scope = grant.permissions.join(' ');
    this.exp = seconds(grant.expiresAt);
    this.iat = seconds(grant.createdAt);
    this.client_id = grant.keyId;
    this.token_type = 'Bearer';
  }
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
