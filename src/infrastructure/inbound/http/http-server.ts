import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import type { Config } from '#config/config.js';
import { HttpListener, refuseUnread } from '../shared/listening.js';
import type { HttpDoor } from './http-door.js';
import { type HttpTelemetry, observe } from './pipeline/request-telemetry.js';
import { jsonBodies } from './pipeline/body-parsing.js';
import { FieldsPipe } from './pipeline/fields.js';
import { HttpErrorFilter } from './pipeline/http-errors.js';
import { serveOpenApi } from './pipeline/openapi.js';
import { assignRequestId, dropForwardedPorts, warnOfProxies } from './pipeline/request.js';
import { allowOrigins, refuseCrossSite } from './pipeline/same-site.js';

interface HttpParts extends HttpTelemetry {
  readonly app: NestExpressApplication;
  readonly doors: readonly HttpDoor[];
  readonly config: Config;
}

/** Every path has one spelling, so that a proxy can hide it. Nest reads these settings when it creates its application. */
export function exactPaths(): ExpressAdapter {
  const server = express();
  server.enable('case sensitive routing');
  server.enable('strict routing');
  return new ExpressAdapter(server);
}

/**
 * Serves all doors. Each request passes what follows, in this order, before it reaches a controller. The listener closes
 * the server, because Nest itself would cut off every open request.
 */
export async function httpListener({ app, doors, config, log, times, traces }: HttpParts): Promise<HttpListener> {
  const policies = doors.flatMap((door) => Object.entries(door.policies ?? {}));
  const pathsWhere = (trait: 'isAboutAnotherRequest' | 'isProbe' | 'isOneRoute') =>
    policies.filter(([, policy]) => policy[trait]).map(([path]) => path);
  const forPeople = exceptAt(pathsWhere('isAboutAnotherRequest'));

  app.set('trust proxy', [...config.trustedProxies]);
  app.set('query parser', 'simple');
  app.set('etag', false);
  const [probes, plainRoutes] = [pathsWhere('isProbe'), pathsWhere('isOneRoute')];
  app.use(refuseUnread, dropForwardedPorts, assignRequestId);
  app.use(observe({ log, times, traces, probes, plainRoutes, elsewhere: 'elsewhere' }));
  app.use(['/v1', '/settings'], forPeople(warnOfProxies(log)));
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
  app.useGlobalPipes(new FieldsPipe());
  app.useGlobalFilters(new HttpErrorFilter(log));
  serveOpenApi(app);
  await app.init();
  return new HttpListener(app.getHttpServer(), 'HTTP_PORT', config.httpPort, config.host);
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
