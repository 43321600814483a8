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
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { readLeakedTokens, TOKEN_TYPE } from './leaked-tokens.js';

class TokenTypesView {
  @ApiProperty({ type: [String] }) types = [TOKEN_TYPE];
}

const TOKENS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['type', 'token'],
    properties: {
      type: { type: 'string', enum: [TOKEN_TYPE] },
      token: { type: 'string', description: 'A key string' },
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
  })
  async revoke(@Req() request: LatchkeyRequest): Promise<void> {
    await this.reports.byService(readLeakedTokens(request.body), request.reporter!, clientOf(request));
  }
}
