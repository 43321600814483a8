import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { lengthProblem, optional } from '../../../../domain/errors.js';
import { MAX_SOURCE_LENGTH, MAX_URL_LENGTH } from '../../../../domain/audit/leak-site.js';
import { Follows, text } from '../pipeline/rules.js';

const MAX_KEYS = 100;

export class LeakedKeysBody {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_KEYS,
    description: 'Key strings. Each may have text around it: every key in it counts',
  })
  @Follows(keysProblem)
  keys!: string[];

  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_SOURCE_LENGTH, description: 'Who or what found them' })
  @Follows(optional(text((value) => plainProblem(value, MAX_SOURCE_LENGTH))))
  source?: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_URL_LENGTH, description: 'Where they stood' })
  @Follows(optional(text((value) => plainProblem(value, MAX_URL_LENGTH))))
  url?: string;
}

function keysProblem(value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_KEYS) return `must be 1 to ${MAX_KEYS} texts`;
  return value.every((one) => typeof one === 'string') ? undefined : 'must hold texts alone';
}

function plainProblem(value: string, maxLength: number): string | undefined {
  const problem = lengthProblem(value, maxLength);
  return problem ?? (/\p{Cc}/u.test(value) ? 'must not contain control characters' : undefined);
}
