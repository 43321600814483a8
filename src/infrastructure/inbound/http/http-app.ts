import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import type { Config } from '../../../config/config.js';
import type { Log } from '../../telemetry/log.js';
import type { RequestTimes } from '../../telemetry/request-times.js';
import type { Traces } from '../../telemetry/traces.js';
import type { HttpDoor } from './http-door.js';
import { accessLog, requestTelemetry } from './pipeline/request-telemetry.js';
import { BodyPipe, jsonBodies } from './pipeline/body-parsing.js';
import { HttpErrorFilter } from './pipeline/http-errors.js';
import { PROBLEM_MODELS } from './pipeline/openapi-responses.js';
import { assignRequestId, dropForwardedPorts, refuseUnread, warnOfProxies } from './pipeline/request.js';
import { allowOrigins, refuseCrossSite } from './pipeline/same-site.js';

export interface HttpParts {
  readonly app: NestExpressApplication;
  readonly doors: readonly HttpDoor[];
  readonly config: Config;
  readonly log: Log;
  readonly times: RequestTimes;
  readonly traces: Traces;
}

/** Every path has one spelling, so that a proxy can hide it. Nest reads these settings when it creates its application. */
export function exactPaths(): ExpressAdapter {
  const server = express();
  server.enable('case sensitive routing');
  server.enable('strict routing');
  return new ExpressAdapter(server);
}

/** What every HTTP request passes, in this order, before it reaches a controller. */
export function configureHttp({ app, doors, config, log, times, traces }: HttpParts): void {
  const policies = doors.flatMap((door) => Object.entries(door.policies ?? {}));
  const pathsWhere = (trait: 'isAboutAnotherRequest' | 'isProbe' | 'isOneRoute') =>
    policies.filter(([, policy]) => policy[trait]).map(([path]) => path);
  const forPeople = exceptAt(pathsWhere('isAboutAnotherRequest'));

  app.set('trust proxy', config.trustedProxies.length > 0 ? [...config.trustedProxies] : false);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.use(refuseUnread, dropForwardedPorts, assignRequestId, accessLog(log, pathsWhere('isProbe')));
  app.use(requestTelemetry(times, traces, pathsWhere('isOneRoute')));
  const trust: (address: string, hop: number) => boolean = app.getHttpAdapter().getInstance().get('trust proxy fn');
  app.use(['/v1', '/settings'], forPeople(warnOfProxies(log, (address) => trust(address, 0))));
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
  if (config.crossOrigins.length > 0) app.use('/v1', forPeople(allowOrigins(config.crossOrigins)));
  app.use('/v1', noStore, forPeople(refuseCrossSite(config.ownOrigins, config.crossOrigins)));
  for (const [path, { handlers = [] }] of policies) if (handlers.length > 0) app.use(path, ...handlers);
  app.use('/v1', forPeople(jsonBodies()));
  app.useGlobalPipes(new BodyPipe());
  app.useGlobalFilters(new HttpErrorFilter(log));
  serveOpenApi(app);
}

/** Skips a handler at exactly these paths. Like in routes, letter case and a slash at the end do not matter. */
function exceptAt(paths: readonly string[]) {
  return (handler: RequestHandler): RequestHandler =>
    (request, response, next) => {
      return paths.includes(`${request.baseUrl}${request.path}`) ? next() : handler(request, response, next);
    };
}

function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  next();
}

const BEARER = { type: 'http', bearerFormat: 'opaque' } as const;
const PLATFORM_TOKEN = "A JWT of the platform's own login, where SESSION_JWKS_URL is set";
const SERVICE_TOKEN = 'A service token with the role reporter for leaked tokens, with the role validator elsewhere';
const BARE_TOKEN = 'The service token without a scheme, as GitLab sends it';

function serveOpenApi(app: NestExpressApplication): void {
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
  const document = SwaggerModule.createDocument(app, description, { extraModels: PROBLEM_MODELS });
  // All responses share one buffer, so a client that reads slowly or not at all costs no copy.
  const bytes = Buffer.from(JSON.stringify(document));
  const server: Express = app.getHttpAdapter().getInstance();
  server.get('/openapi.json', (_request, response) => void response.type('json').send(bytes));
}
