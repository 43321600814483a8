import { unescape } from 'node:querystring';
import { Controller, Post, Req, Res } from '@nestjs/common';
import {
  ApiBasicAuth,
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { ValidateKey } from '#application/validation/validate-key.js';
import type { Config } from '#config/config.js';
import { attributesByName } from '#domain/accounts/entitlements.js';
import { invalidFields, LatchkeyError } from '#domain/errors.js';
import type { Grant, Question } from '#domain/keys/verdict.js';
import { clientFacts, headerValues } from '../../shared/request-facts.js';
import { denialError, rateLimitHeaders } from '../../shared/key-answers.js';
import { type ClientSecret, ServiceIdentity } from '../../shared/service-identity.js';
import { type HttpDoor, FromConfig } from '../http-door.js';
import { formBodies, readForm } from '../pipeline/body-parsing.js';
import { OAuthRefusal } from '../pipeline/http-errors.js';
import { Answers } from '../pipeline/openapi.js';
import type { LatchkeyRequest } from '../pipeline/request.js';

/**
 * Whether the key can read anything. The scope in the response says what it may do. The standard has no field for the
 * client's address, so a key with allowed networks is inactive here.
 */
const IS_ACTIVE: Question = { operation: 'read', permission: '' };

const FORM = {
  type: 'object',
  required: ['token'],
  properties: {
    token: { type: 'string' },
    token_type_hint: { type: 'string', description: 'Ignored' },
    client_id: { type: 'string', description: 'Without Authorization: the name of the service identity' },
    client_secret: { type: 'string', description: 'Without Authorization: its token' },
  },
};

const SECONDS = { type: 'integer', description: 'Seconds since 1970' } as const;

/** An introspection response (RFC 7662, section 2.2). For an inactive token it contains only `active`. */
class IntrospectionView {
  @ApiProperty() active!: boolean;
  @ApiPropertyOptional({ description: 'The account that the key acts as' }) sub?: string;
  @ApiPropertyOptional({ description: 'Permissions, space-separated; absent when there are none' }) scope?: string;
  @ApiPropertyOptional({ ...SECONDS, description: 'When the key expires; only with INTROSPECTION_EXP=on' })
  exp?: number;
  @ApiPropertyOptional(SECONDS) iat?: number;
  @ApiPropertyOptional({ format: 'uuid', description: "The key's id" }) client_id?: string;
  @ApiPropertyOptional({ enum: ['Bearer'] }) token_type?: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { tenant: 'acme' },
    description: 'What the platform says of the account, by name; {} when it says nothing',
  })
  attributes?: Record<string, string>;
}

/** Known clients keep granting a key until the `exp` that they once got, without asking again. */
function viewOf(grant: Grant, { introspectionExp: hasExpiry }: Pick<Config, 'introspectionExp'>): IntrospectionView {
  const { ownerId, permissions, attributes, expiresAt, createdAt, keyId } = grant;
  const scope = permissions.length > 0 ? { scope: permissions.join(' ') } : {};
  const times = { ...(hasExpiry && { exp: seconds(expiresAt) }), iat: seconds(createdAt) };
  const identity = { client_id: keyId, token_type: 'Bearer', attributes: attributesByName(attributes) };
  return { active: true, sub: ownerId, ...scope, ...times, ...identity };
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

/** Token introspection (RFC 7662), for services that use the OAuth 2.0 protocol. */
@ApiTags('introspection')
@ApiBearerAuth('service_token')
@ApiBasicAuth('service_client')
@Controller('v1/introspect')
class IntrospectionController {
  constructor(
    private readonly validateKey: ValidateKey,
    private readonly identity: ServiceIdentity,
    @FromConfig() private readonly settings: Pick<Config, 'introspectionExp'>,
  ) {}

  @Post()
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ schema: FORM })
  @Answers(IntrospectionView, {
    400: 'No token, a parameter sent twice, or two ways of identification',
    401: 'No service token, or an unknown one. An unknown client_id gets the error of RFC 6749, section 5.2',
    403: 'A service token without the role validator, or a request from another site',
    413: 'The body is too large',
    415: 'The body is not a form',
    429: 'The key is past its rate limit',
  })
  async introspect(@Req() request: LatchkeyRequest, @Res({ passthrough: true }) response: Response) {
    const form = readForm(request.body as string | undefined);
    const service = this.identify(request, form);
    const token = form.get('token');
    if (token === undefined) throw invalidFields([{ field: 'token', message: 'is missing' }]);
    // The caller's address is not the client's, and the standard has no field for the client's address.
    const client = clientFacts({ ip: undefined, userAgent: undefined, requestId: request.requestId });
    const presented = { credential: token, question: IS_ACTIVE, client, service };
    const { verdict, rate } = await this.validateKey.execute(presented);
    const isLimited = !verdict.granted && verdict.reason === 'rate-limited';
    // Only here: a response about an inactive token must not show whether its secret is right.
    if (rate && (verdict.granted || isLimited)) response.set(rateLimitHeaders(rate));
    if (isLimited) throw denialError('rate-limited', rate);
    return verdict.granted ? viewOf(verdict, this.settings) : { active: false };
  }

  /** The name of the calling validator, by its bearer token or by OAuth client authentication. */
  private identify(request: LatchkeyRequest, form: ReadonlyMap<string, string>): string {
    const authorization = headerValues(request, 'authorization');
    const secrets = readClientSecret(authorization, form);
    try {
      const caller = { authorization, secrets, address: () => request.ip };
      return this.identity.require(['validator'], caller, '/v1/introspect').name;
    } catch (error) {
      const isUnknown = secrets && error instanceof LatchkeyError && error.code === 'unauthenticated';
      throw isUnknown ? new OAuthRefusal('invalid_client', 'No service identity has this name and token') : error;
    }
  }
}

/** The standard requires clients to send a form. */
export const introspectionDoor: HttpDoor = {
  controllers: [IntrospectionController],
  policies: { '/v1/introspect': { handlers: [formBodies()] } },
};

const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;

/** `client_secret_basic` or `client_secret_post` (RFC 6749, section 2.3.1), in each possible reading; undefined if unused. */
function readClientSecret(
  authorization: readonly string[],
  form: ReadonlyMap<string, string>,
): readonly ClientSecret[] | undefined {
  const [header, ...others] = authorization;
  const token = form.get('client_secret');
  if (header === undefined) {
    const name = form.get('client_id');
    return name === undefined && token === undefined ? undefined : [{ name: name ?? '', token: token ?? '' }];
  }
  if (token !== undefined) {
    throw new OAuthRefusal('invalid_request', 'Send Authorization or client_secret, not both');
  }
  if (others.length > 0 || !/^basic /i.test(header)) return undefined;
  const [, encoded = ''] = BASIC.exec(header) ?? [];
  const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
  const given = { name, token: rest.join(':') };
  // The standard requires both to be form-encoded, which some clients do not do.
  return [given, { name: unescapePlus(given.name), token: unescapePlus(given.token) }];
}

function unescapePlus(text: string): string {
  return unescape(text.replaceAll('+', ' '));
}
