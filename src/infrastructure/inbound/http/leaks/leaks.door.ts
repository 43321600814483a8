import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { ReportLeakedKeys } from '#application/leaks/report-leaked-keys.js';
import { MAX_SOURCE_LENGTH, MAX_URL_LENGTH } from '#domain/audit/event-details.js';
import { LatchkeyError, optional } from '#domain/errors.js';
import { headerValues, plainText } from '../../shared/request-facts.js';
import { jsonBodies } from '../pipeline/body-parsing.js';
import { Field, plainTextRule } from '../pipeline/fields.js';
import { turnAway } from '../pipeline/http-errors.js';
import { MALFORMED_BODY, ProblemResponses } from '../pipeline/openapi.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import type { ServiceIdentity } from '../../shared/service-identity.js';
import type { HttpDoor } from '../http-door.js';
import { TokenRevocationController } from './leaked-tokens.controller.js';

const MAX_KEYS = 100;
const MAX_TEXT_LENGTH = 2048;

class LeakedKeysBody {
  @Field(keysProblem, {
    type: [String],
    minItems: 1,
    maxItems: MAX_KEYS,
    description: `Key strings, each in up to ${MAX_TEXT_LENGTH} characters of text: every key in it counts`,
  })
  keys!: string[];

  @Field(optional(plainTextRule(MAX_SOURCE_LENGTH)), {
    minLength: 1,
    maxLength: MAX_SOURCE_LENGTH,
    description: 'Who or what found them',
  })
  source?: string;

  @Field(optional(plainTextRule(MAX_URL_LENGTH)), {
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'Where they were found',
  })
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
class LeakedKeysController {
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

/** A hundred lines of a log. */
const LEAKED_KEYS_LIMIT = '256kb';
/** GitLab sends everything it found in one request, however large. */
const LEAKED_TOKENS_LIMIT = '1mb';

export function leaksDoor(identity: ServiceIdentity): HttpDoor {
  const reporters = reportersOnly(identity);
  return {
    controllers: [LeakedKeysController, TokenRevocationController],
    policies: {
      '/v1/leaked-keys': { handlers: [jsonBodies(LEAKED_KEYS_LIMIT)] },
      '/v1/revocable_token_types': { handlers: [reporters] },
      '/v1/revoke_tokens': { handlers: [reporters, jsonBodies(LEAKED_TOKENS_LIMIT)] },
    },
  };
}

/** Runs before the body is read, which may be large. All other callers get 401, as in GitLab's API. */
function reportersOnly(identity: ServiceIdentity) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    try {
      const authorization = headerValues(request, 'authorization');
      const caller = { authorization, mayBeBare: true, address: () => request.ip };
      (request as LatchkeyRequest).reporter = identity.require(['reporter'], caller, request.baseUrl).name;
    } catch {
      next(new LatchkeyError('unauthenticated', 'Authorization must be a service token with the role reporter'));
      return;
    }
    next();
  };
}
