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
import { ReportLeakedKeys } from '../../../../application/leaks/report-leaked-keys.js';
import { MALFORMED_BODY, ProblemResponses, StorelessResponses } from '../pipeline/problem-responses.js';
import { turnAway } from '../pipeline/turned-away.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { MAX_TOKEN_LENGTH, MAX_TOKENS, readLeakedTokens, TOKEN_TYPE } from './leaked-tokens.js';

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
