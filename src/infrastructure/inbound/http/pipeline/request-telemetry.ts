import type { NextFunction, Request, Response } from 'express';
import { withoutSecrets } from '#domain/secrets.js';
import type { Outcome, RequestTimes } from '#infrastructure/telemetry/request-times.js';
import type { Traces } from '#infrastructure/telemetry/traces.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type { LatchkeyRequest } from './request.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Times and traces each request.
 * @param plainRoutes paths that are served without a controller
 * @param elsewhere what any other path is called
 */
export function requestTelemetry(
  times: RequestTimes,
  traces: Traces,
  plainRoutes: readonly string[],
  elsewhere = 'elsewhere',
) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    traces.serve('HTTP', request.get('traceparent'), (span) => {
      response.once('close', () => {
        const [method, outcome] = [methodOf(request, plainRoutes, elsewhere), outcomeOf(response)];
        times.of(method)[outcome].observeSince(begun);
        span.end(outcome, method);
      });
      next();
    });
  };
}

/** Method and route as the code defines them, such as `GET /v1/api-keys`; never what the client wrote. */
function methodOf(request: Request, plainRoutes: readonly string[], elsewhere: string): string {
  const route = (request.route as { path?: unknown } | undefined)?.path;
  const plain = plainRoutes.find((path) => request.originalUrl.startsWith(path));
  const path = typeof route === 'string' ? route : (plain ?? elsewhere);
  return `${METHODS.has(request.method) ? request.method : 'OTHER'} ${path}`;
}

function outcomeOf({ writableFinished, statusCode }: Response): Outcome {
  if (!writableFinished) return 'aborted';
  if (statusCode >= 500) return 'failed';
  return statusCode >= 400 ? 'refused' : 'ok';
}

/** One line for each request, with its path but never its query. A successful probe is logged at debug only. */
export function accessLog(log: Log, probes: readonly string[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const start = performance.now();
    response.once('close', () => {
      const path = request.originalUrl.split('?', 1)[0]!;
      const facts = {
        requestId: (request as LatchkeyRequest).requestId,
        method: request.method,
        path: withoutSecrets(path),
        status: response.statusCode,
        completed: response.writableFinished,
        latencyMs: Math.round((performance.now() - start) * 10) / 10,
      };
      if (response.statusCode === 200 && probes.includes(path)) log.debug('request', facts);
      else log.info('request', facts);
    });
    next();
  };
}
