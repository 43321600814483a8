import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Config } from '../../../config/config.js';
import { LatchkeyError } from '../../../domain/errors.js';
import type { Log } from '../../telemetry/log.js';
import type { HttpRequestTimes } from '../../telemetry/request-times.js';
import type { Traces } from '../../telemetry/traces.js';
import { accessLog } from './pipeline/access-log.js';
import { ServiceIdentity } from '../shared/service-identity.js';
import { BodyPipe } from './pipeline/body.pipe.js';
import { formBodies, jsonBodies } from './pipeline/body-parsing.js';
import { unlessForwardAuth } from './forward-auth/forward-auth.js';
import { docsPage } from './pages/docs.door.js';
import { reportersOnly } from './leaks/reporters-only.js';
import { HttpErrorFilter } from './pipeline/http-error.filter.js';
import { PROBLEM_MODELS } from './pipeline/problem-responses.js';
import { assignRequestId, warnOfUnnamedProxy } from './pipeline/request.js';
import { requestTelemetry } from './pipeline/request-telemetry.js';
import { allowOrigins, refuseCrossSite } from './pipeline/same-site.js';
import { settingsAssets } from './pages/settings.door.js';
import { refuseUnread } from './pipeline/unread-answers.js';

/** GitLab sends what it found in one request, however much that is. */
const LEAKED_TOKENS_LIMIT = '1mb';

/** What every HTTP request passes, in this order, before it reaches a controller. */
export function configureHttp(
  app: NestExpressApplication,
  config: Config,
  log: Log,
  times: HttpRequestTimes,
  traces: Traces,
): void {
  app.set('trust proxy', config.trustedProxies.length > 0 ? [...config.trustedProxies] : false);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.use(refuseUnread, assignRequestId, accessLog(log), requestTelemetry(times, traces), warnOfUnnamedProxy(log));
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
      },
      frameguard: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      strictTransportSecurity: config.publicUrl.startsWith('https:'),
    }),
  );
  app.use('/settings/assets', settingsAssets());
  if (config.metricsPort !== undefined) app.use('/metrics', nothingHere);
  if (config.crossOrigins.length > 0) app.use('/v1', unlessForwardAuth(allowOrigins(config.crossOrigins)));
  app.use('/v1', noStore, unlessForwardAuth(refuseCrossSite(config.ownOrigins, config.crossOrigins)));
  if (!config.passwordSignIn) app.use('/v1/session', unlessPasswords);
  app.use('/v1/introspect', formBodies());
  const reporters = reportersOnly(app.get(ServiceIdentity));
  app.use('/v1/revocable_token_types', reporters);
  app.use('/v1/revoke_tokens', reporters, jsonBodies(LEAKED_TOKENS_LIMIT));
  app.use('/v1', unlessForwardAuth(jsonBodies()));
  app.useGlobalPipes(new BodyPipe());
  app.useGlobalFilters(new HttpErrorFilter(log));
  serveOpenApi(app);
}

/** What has a port of its own is not to be had here. */
function nothingHere(_request: Request, _response: Response, next: NextFunction): void {
  next(new LatchkeyError('not_found', 'There is nothing at this address'));
}

/** Where people sign in elsewhere, there is no such thing as a sign-in with a password. */
function unlessPasswords(request: Request, response: Response, next: NextFunction): void {
  if (request.method === 'POST' && request.path === '/') nothingHere(request, response, next);
  else next();
}

function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  next();
}

function serveOpenApi(app: NestExpressApplication): void {
  const description = new DocumentBuilder()
    .setTitle('Latchkey')
    .setDescription('Personal API keys: create, list, revoke, and see what happened to them')
    .setVersion('1')
    .addCookieAuth('latchkey_session')
    .addBearerAuth(
      {
        type: 'http',
        bearerFormat: 'JWT',
        description: "A JWT of the platform's own login, where SESSION_JWKS_URL is set",
      },
      'platform_token',
    )
    .addBearerAuth(
      {
        type: 'http',
        bearerFormat: 'opaque',
        description: 'A service token: of the role reporter for leaked tokens, of the role validator elsewhere',
      },
      'service_token',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'The service token alone, as GitLab sends it',
      },
      'bare_service_token',
    )
    .addBearerAuth({ type: 'http', bearerFormat: 'opaque', description: 'An API key' }, 'api_key')
    .addBasicAuth({ type: 'http', description: 'The name of a service identity, and its token' }, 'service_client')
    .build();
  const document = SwaggerModule.createDocument(app, description, { extraModels: PROBLEM_MODELS });
  // One buffer for all answers: those that nobody reads cost nothing more.
  const bytes = Buffer.from(JSON.stringify(document));
  app.use('/openapi.json', (_request: Request, response: Response) => response.type('json').send(bytes));
  app.use('/docs', docsPage());
}
