import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ValidateKey } from '../../../../application/keys/validate-key.js';
import { invalidFields } from '../../../../domain/errors.js';
import type { Question } from '../../../../domain/keys/verdict.js';
import { clientFacts } from '../../shared/client-facts.js';
import { denialError, KeyAnswers } from '../../shared/key-answers.js';
import { ServiceIdentity } from '../../shared/service-identity.js';
import { readForm } from '../pipeline/body-parsing.js';
import { IntrospectionView } from './introspection.view.js';
import { ProblemResponses } from '../pipeline/problem-responses.js';
import { headerValues, type LatchkeyRequest } from '../pipeline/request.js';

/** Whether it may read anything at all: what it may do, the caller finds in its scope. */
const IS_ACTIVE: Question = { operation: 'read', permission: '' };

const FORM = {
  type: 'object',
  required: ['token'],
  properties: { token: { type: 'string' }, token_type_hint: { type: 'string', description: 'Makes no difference' } },
};

/** Token introspection (RFC 7662), for services that ask in the way of OAuth 2.0. */
@ApiTags('introspection')
@ApiBearerAuth('service_token')
@Controller('v1/introspect')
export class IntrospectionController {
  constructor(
    private readonly validateKey: ValidateKey,
    private readonly identity: ServiceIdentity,
    private readonly answers: KeyAnswers,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ schema: FORM })
  @ApiOkResponse({ type: IntrospectionView })
  @ProblemResponses({
    400: 'No token, or a parameter sent twice',
    401: 'No service token, or an unknown one',
    403: 'A service token without the role validator, or a request from another site',
    413: 'The body is too large',
    415: 'The body is not a form',
    429: 'The key is past its rate limit',
  })
  async introspect(
    @Req() request: LatchkeyRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IntrospectionView> {
    this.identity.require('validator', { authorization: headerValues(request, 'authorization') });
    const token = readForm(request.body as string | undefined).get('token');
    if (token === undefined) throw invalidFields([{ field: 'token', message: 'is missing' }]);
    // The caller's address is not the client's, and the standard has no field for that.
    const client = clientFacts({ ip: undefined, userAgent: undefined, requestId: request.requestId });
    const { verdict, rate } = await this.validateKey.execute(token, IS_ACTIVE, client);
    const isLimited = !verdict.granted && verdict.reason === 'rate-limited';
    // Only here: an answer about a token that is not active must not show that its secret is known.
    if (rate && (verdict.granted || isLimited)) response.set(this.answers.rateLimitHeaders(rate));
    if (isLimited) throw denialError('rate-limited', rate);
    return new IntrospectionView(verdict.granted ? verdict : undefined);
  }
}
