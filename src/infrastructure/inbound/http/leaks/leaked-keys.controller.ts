import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { ReportLeakedKeys } from '../../../../application/leaks/report-leaked-keys.js';
import { MAX_SOURCE_LENGTH, MAX_URL_LENGTH } from '../../../../domain/audit/event-details.js';
import { optional } from '../../../../domain/errors.js';
import { plainText } from '../../shared/client-facts.js';
import { Follows, plainTextRule } from '../pipeline/rules.js';
import { turnAway } from '../pipeline/turned-away.js';
import { MALFORMED_BODY, ProblemResponses } from '../pipeline/problem-responses.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';

const MAX_KEYS = 100;
const MAX_TEXT_LENGTH = 2048;

class LeakedKeysBody {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_KEYS,
    description: `Key strings, each in up to ${MAX_TEXT_LENGTH} characters of text: every key in it counts`,
  })
  @Follows(keysProblem)
  keys!: string[];

  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_SOURCE_LENGTH, description: 'Who or what found them' })
  @Follows(optional(plainTextRule(MAX_SOURCE_LENGTH)))
  source?: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_URL_LENGTH, description: 'Where they were found' })
  @Follows(optional(plainTextRule(MAX_URL_LENGTH)))
  url?: string;
}

function keysProblem(value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_KEYS) return `must be 1 to ${MAX_KEYS} texts`;
  const isText = (one: unknown) => typeof one === 'string' && one.length <= MAX_TEXT_LENGTH;
  return value.every(isText) ? undefined : `must contain only texts of up to ${MAX_TEXT_LENGTH} characters`;
}

/** Anyone who has a key string may end that key. The answer reveals nothing about it. */
@ApiTags('leaks')
@Controller('v1/leaked-keys')
export class LeakedKeysController {
  constructor(private readonly reports: ReportLeakedKeys) {}

  @Post()
  @HttpCode(202)
  @ApiAcceptedResponse({
    description: 'Recorded: valid keys end within a second. The answer is the same for all other strings',
  })
  @ProblemResponses({
    ...MALFORMED_BODY,
    400: 'Invalid or unknown fields',
    403: 'A request from another site',
    429: 'More than 60 requests an hour from one network',
  })
  async report(@Body() { keys, source, url }: LeakedKeysBody, @Req() request: LatchkeyRequest): Promise<void> {
    const site = { source: plainText(source, MAX_SOURCE_LENGTH), url: plainText(url, MAX_URL_LENGTH) };
    await this.reports.byAnybody({ texts: keys, ...site }, clientOf(request)).catch(turnAway);
  }
}
