import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBasicAuth, ApiBearerAuth, ApiBody, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ValidateKey } from '../../../../application/validation/validate-key.js';
import { invalidFields, LatchkeyError } from '../../../../domain/errors.js';
import type { Question } from '../../../../domain/keys/verdict.js';
import { clientFacts } from '../../shared/client-facts.js';
import { denialError, KeyAnswers } from '../../shared/key-answers.js';
import { ServiceIdentity } from '../../shared/service-identity.js';
import type { HttpDoor } from '../http-door.js';
import { formBodies, readForm } from '../pipeline/body-parsing.js';
import { IntrospectionView } from './introspection.view.js';
import { ProblemResponses } from '../pipeline/problem-responses.js';
import { OAuthRefusal } from '../pipeline/refusals.js';
import { headerValues, type LatchkeyRequest } from '../pipeline/request.js';
import { readClientSecret } from './client-secret.js';

/** Whether it may read anything at all: what it may do, the caller finds in its scope. */
const IS_ACTIVE: Question = { operation: 'read', permission: '' };

const FORM = {
  type: 'object',
  required: ['token'],
  properties: {
    token: { type: 'string' },
    token_type_hint: { type: 'string', description: 'Makes no difference' },
    client_id: { type: 'string', description: 'Without Authorization: the name of the service identity' },
    client_secret: { type: 'string', description: 'Without Authorization: its token' },
  },
};

/** Token introspection (RFC 7662), for services that ask in the way of OAuth 2.0. */
@ApiTags('introspection')
@ApiBearerAuth('service_token')
@ApiBasicAuth('service_client')
@Controller('v1/introspect')
class IntrospectionController {
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
    400: 'No token, a parameter sent twice, or two ways of identifying',
    401: 'No service token, or an unknown one; to client_id and client_secret as RFC 6749, section 5.2, has it',
    403: 'A service token without the role validator, or a request from another site',
    413: 'The body is too large',
    415: 'The body is not a form',
    429: 'The key is past its rate limit',
  })
  async introspect(
    @Req() request: LatchkeyRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IntrospectionView> {
    const form = readForm(request.body as string | undefined);
    const service = this.identify(headerValues(request, 'authorization'), form);
    const token = form.get('token');
    if (token === undefined) throw invalidFields([{ field: 'token', message: 'is missing' }]);
    // The caller's address is not the client's, and the standard has no field for that.
    const client = clientFacts({ ip: undefined, userAgent: undefined, requestId: request.requestId });
    const { verdict, rate } = await this.validateKey.execute({
      credential: token,
      question: IS_ACTIVE,
      client,
      service,
    });
    const isLimited = !verdict.granted && verdict.reason === 'rate-limited';
    // Only here: an answer about a token that is not active must not show that its secret is known.
    if (rate && (verdict.granted || isLimited)) response.set(this.answers.rateLimitHeaders(rate));
    if (isLimited) throw denialError('rate-limited', rate);
    return new IntrospectionView(verdict.granted ? verdict : undefined);
  }

  private identify(authorization: readonly string[], form: ReadonlyMap<string, string>): string {
    const secrets = readClientSecret(authorization, form);
    try {
      return this.identity.require('validator', { authorization, secrets });
    } catch (error) {
      const isUnknown = secrets && error instanceof LatchkeyError && error.code === 'unauthenticated';
      throw isUnknown ? new OAuthRefusal(401, 'invalid_client', 'No service identity has this name and token') : error;
    }
  }
}

/** The standard has clients send a form. */
export const introspectionDoor: HttpDoor = {
  controllers: [IntrospectionController],
  policies: { '/v1/introspect': { handlers: [formBodies()] } },
};
