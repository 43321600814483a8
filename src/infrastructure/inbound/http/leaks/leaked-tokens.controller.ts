import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiProperty,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import { type Leak, ReportLeakedKeys } from '#application/leaks/report-leaked-keys.js';
import { type FieldError, invalidFields, LatchkeyError } from '#domain/errors.js';
import { MAX_URL_LENGTH } from '#domain/audit/event-details.js';
import { plainText } from '../../shared/request-facts.js';
import { MALFORMED_BODY, ProblemResponses, StorelessResponses } from '../pipeline/openapi.js';
import { turnAway } from '../pipeline/http-errors.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';

/** GitLab's name for our keys: the type, and the id of the detecting rule in `docs/secret-scanning/gitleaks.toml`. */
export const TOKEN_TYPE = 'gitleaks_rule_id_latchkey-api-key';
const SOURCE = 'gitlab';
export const MAX_TOKENS = 2000;
/** Longer than any key string, so that one entry holds a few of them at most. */
const MAX_TOKEN_LENGTH = 512;
/** The most errors reported about a list. */
const MAX_ERRORS = 10;

/** Groups GitLab's tokens by where they were found. Unknown fields are ignored, since GitLab may add some. */
function readLeakedTokens(body: unknown): Leak[] {
  if (!Array.isArray(body)) throw new LatchkeyError('invalid_request', 'The body must be a JSON array');
  if (body.length > MAX_TOKENS) {
    const message = `The list has ${body.length} entries, and at most ${MAX_TOKENS} are accepted: send it in parts`;
    throw new LatchkeyError('payload_too_large', message);
  }
  const errors = body.flatMap(problemsOf);
  if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
  const byPlace = new Map<string | null, string[]>();
  for (const { token, location } of body as { token: string; location?: unknown }[]) {
    const url = typeof location === 'string' ? plainText(location, MAX_URL_LENGTH) : null;
    const texts = byPlace.get(url);
    if (texts) texts.push(token);
    else byPlace.set(url, [token]);
  }
  return [...byPlace].map(([url, texts]) => ({ texts, source: SOURCE, url }));
}

function problemsOf(entry: unknown, index: number): FieldError[] {
  const { type, token } = (entry ?? {}) as { type?: unknown; token?: unknown };
  const isToken = typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH;
  const wrong = `must be text of at most ${MAX_TOKEN_LENGTH} characters`;
  return [
    ...(type === TOKEN_TYPE ? [] : [{ field: `${index}.type`, message: `must be ${TOKEN_TYPE}` }]),
    ...(isToken ? [] : [{ field: `${index}.token`, message: wrong }]),
  ];
}

class TokenTypesView {
  @ApiProperty({ type: [String] }) types = [TOKEN_TYPE];
}

const TOKENS = {
  type: 'array',
  maxItems: MAX_TOKENS,
  items: {
    type: 'object',
    required: ['type', 'token'],
    properties: {
      type: { type: 'string', enum: [TOKEN_TYPE] },
      token: { type: 'string', maxLength: MAX_TOKEN_LENGTH, description: 'A key string' },
      location: { type: 'string', nullable: true, description: 'Where it was found' },
    },
  },
};
const NOBODY = 'No service token with the role reporter';

/** GitLab's Token Revocation API: a self-hosted GitLab calls it when its secret detection finds our keys. */
@ApiTags('leaks')
@ApiBearerAuth('service_token')
@ApiSecurity('bare_service_token')
@Controller('v1')
export class TokenRevocationController {
  constructor(private readonly reports: ReportLeakedKeys) {}

  @Get('revocable_token_types')
  @ApiOkResponse({ type: TokenTypesView })
  @StorelessResponses({ 401: NOBODY })
  types(): TokenTypesView {
    return new TokenTypesView();
  }

  @Post('revoke_tokens')
  @HttpCode(204)
  @ApiBody({ schema: TOKENS })
  @ApiNoContentResponse({
    description: 'Recorded: valid keys end within a second. The answer is the same for all other strings',
  })
  @ProblemResponses({
    ...MALFORMED_BODY,
    400: 'Not a list of tokens, or a token of another type',
    401: NOBODY,
    403: 'A request from another site',
    413: `More than 1 MB, or more than ${MAX_TOKENS} entries`,
    429: 'More than 20,000 entries an hour from one service',
  })
  async revoke(@Req() request: LatchkeyRequest): Promise<void> {
    const leaks = readLeakedTokens(request.body);
    await this.reports.byService(leaks, request.reporter!, clientOf(request)).catch(turnAway);
  }
}
