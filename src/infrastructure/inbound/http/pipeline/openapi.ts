import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger';
import type { Express } from 'express';

/** How /openapi.json describes the responses that many routes share: problems, and those to requests with a key. */

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

/** The body parser's responses, also on routes without a body. */
export const MALFORMED_BODY = {
  400: 'A malformed body or address',
  413: 'The body is too large',
  415: 'The body is not JSON',
} as const;

/** Documents the statuses that a route, or each route of a controller, answers with a problem (RFC 9457). */
export function ProblemResponses(problems: Readonly<Record<number, string>>): ClassDecorator & MethodDecorator {
  return StorelessResponses({ ...problems, 503: 'A store is unavailable: nothing was changed' });
}

/** A decorator that compiles only on a method that returns this view. */
type Returning<View> = <Method extends (...parameters: never[]) => View | Promise<View>>(
  controller: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/** Documents a route that answers 200 with this schema, or with one of these problems, besides those of its controller. */
export function Answers<View>(type: Type<View>, problems: Readonly<Record<number, string>> = {}): Returning<View> {
  return applyDecorators(HttpCode(200), ApiOkResponse({ type }), ProblemResponses(problems));
}

/** The same for a route that answers 201. */
export function Creates<View>(type: Type<View>, problems: Readonly<Record<number, string>>): Returning<View> {
  return applyDecorators(ApiCreatedResponse({ type }), ProblemResponses(problems));
}

/** For a route that uses no store. */
export function StorelessResponses(problems: Readonly<Record<number, string>>): ClassDecorator & MethodDecorator {
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

export const textHeader = (description: string) => ({ description, schema: { type: 'string' } as const });

const RATE_LIMIT_HEADERS = {
  'RateLimit-Policy': textHeader('The limit of the key: "key";q=100;w=5'),
  RateLimit: textHeader('What is left of it: "key";r=99;t=1'),
};

/** The headers of a response to a key that is granted. */
export const GRANT_HEADERS = {
  ...RATE_LIMIT_HEADERS,
  'Latchkey-Key-Expires': textHeader('When the key expires (RFC 3339)'),
};

/** What the client with the key may see unchanged. */
const MESSAGE = {
  'application/json': {
    schema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  },
};

export const KEY_FORBIDDEN = {
  status: 403,
  headers: {
    ...RATE_LIMIT_HEADERS,
    'WWW-Authenticate': textHeader('Bearer error="insufficient_scope", scope="systems:write"'),
  },
  content: MESSAGE,
} as const;

/** Documents the refusals of a route that judges a key, except those about what the key may do. */
export function KeyRefusals(): MethodDecorator {
  const limited = { ...RATE_LIMIT_HEADERS, 'Retry-After': textHeader('Whole seconds, rounded up') };
  return applyDecorators(
    ApiResponse({ status: 401, description: 'Invalid API key', content: MESSAGE }),
    ApiResponse({ status: 429, description: 'The rate limit is exceeded', headers: limited, content: MESSAGE }),
    ApiResponse({ status: 503, description: 'A store is unavailable: no request is let through', content: MESSAGE }),
  );
}

const BEARER = { type: 'http', bearerFormat: 'opaque' } as const;
const PLATFORM_TOKEN = "A JWT of the platform's own login, where SESSION_JWKS_URL is set";
const SERVICE_TOKEN = 'A service token with the role reporter for leaked tokens, with the role validator elsewhere';
const BARE_TOKEN = 'The service token without a scheme, as GitLab sends it';

/** Describes all doors, by the decorators of their controllers. */
export function serveOpenApi(app: NestExpressApplication): void {
  const description = new DocumentBuilder()
    .setTitle('Latchkey')
    .setDescription('Personal API keys: create, list, revoke, and see what happened to them')
    .setVersion('1')
    .addCookieAuth('latchkey_session')
    .addBearerAuth({ ...BEARER, bearerFormat: 'JWT', description: PLATFORM_TOKEN }, 'platform_token')
    .addBearerAuth({ ...BEARER, description: SERVICE_TOKEN }, 'service_token')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'Authorization', description: BARE_TOKEN }, 'bare_service_token')
    .addBearerAuth({ ...BEARER, description: 'An API key' }, 'api_key')
    .addBasicAuth({ type: 'http', description: 'The name of a service identity, and its token' }, 'service_client')
    .build();
  const document = SwaggerModule.createDocument(app, description, { extraModels: [ProblemView, FieldErrorView] });
  // All responses share one buffer, so a client that reads slowly or not at all costs no copy.
  const bytes = Buffer.from(JSON.stringify(document));
  const server: Express = app.getHttpAdapter().getInstance();
  server.get('/openapi.json', (_request, response) => void response.type('json').send(bytes));
}
