import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';

class FieldErrorView {
  @ApiProperty() field!: string;
  @ApiProperty() message!: string;
}

class ProblemView {
  @ApiProperty() type!: string;
  @ApiProperty() title!: string;
  @ApiProperty({ type: 'integer' }) status!: number;
  @ApiProperty() detail!: string;
  @ApiProperty({ description: 'For programs' }) code!: string;
  @ApiPropertyOptional({ type: [FieldErrorView] }) errors?: FieldErrorView[];
  @ApiPropertyOptional({ description: 'With idempotency_key_reused: the key created earlier' }) apiKeyId?: string;
  @ApiPropertyOptional({ description: 'With api_key_not_active: revoked or expired' }) apiKeyStatus?: string;
}

/** The OwnerGuard's responses. */
export const OWNERS_ONLY = {
  401: 'Not signed in',
  403: 'An API key',
  429: 'An API key that exceeds its rate limit',
} as const;

/** The responses of routes about the keys of one account. */
export const OF_ACCOUNT = {
  ...OWNERS_ONLY,
  400: 'Invalid query',
  404: 'No such account that the person manages',
} as const;

/** The body parser's responses, also on routes without a body. */
export const MALFORMED_BODY = {
  400: 'A malformed body or address',
  413: 'The body is too large',
  415: 'The body is not JSON',
} as const;

/** Documents the statuses that a route answers with a problem (RFC 9457). */
export function ProblemResponses(problems: Readonly<Record<number, string>>): MethodDecorator {
  return StorelessResponses({ ...problems, 503: 'A store is unavailable: nothing was changed' });
}

/** For a route that uses no store. */
export function StorelessResponses(problems: Readonly<Record<number, string>>): MethodDecorator {
  return applyDecorators(
    ...Object.entries(problems).map(([status, description]) =>
      ApiResponse({
        status: Number(status),
        description,
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemView' } } },
      }),
    ),
  );
}

export const PROBLEM_MODELS = [ProblemView, FieldErrorView];
