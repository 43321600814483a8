import type { NextFunction, Request, Response } from 'express';
import type { Outcome, RequestTimes } from '../../../telemetry/request-times.js';
import type { Traces } from '../../../telemetry/traces.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Times and traces each request. @param plainRoutes paths that are served without a controller */
export function requestTelemetry(times: RequestTimes, traces: Traces, plainRoutes: readonly string[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    traces.serve('HTTP', request.get('traceparent'), (span) => {
      response.once('close', () => {
        const [method, outcome] = [methodOf(request, plainRoutes), outcomeOf(response)];
        times.of(method)[outcome].observeSince(begun);
        span.end(outcome, method);
      });
      next();
    });
  };
}

/** Method and route as the code defines them, such as `GET /v1/api-keys`; never what the client wrote. */
function methodOf(request: Request, plainRoutes: readonly string[]): string {
  const route = (request.route as { path?: unknown } | undefined)?.path;
  const plain = plainRoutes.find((path) => request.originalUrl.startsWith(path));
  const path = typeof route === 'string' ? route : (plain ?? 'elsewhere');
  return `${METHODS.has(request.method) ? request.method : 'OTHER'} ${path}`;
}

function outcomeOf({ writableFinished, statusCode }: Response): Outcome {
  if (!writableFinished) return 'aborted';
  if (statusCode >= 500) return 'failed';
  return statusCode >= 400 ? 'refused' : 'ok';
}
