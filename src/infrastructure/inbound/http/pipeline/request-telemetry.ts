import type { NextFunction, Request, Response } from 'express';
import type { HttpRequestTimes, Outcome } from '../../../telemetry/request-times.js';
import type { Traces } from '../../../telemetry/traces.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Times each request, and traces it where traces are on. Until it is routed, no part of its address may be reported.
 * @param plainRoutes paths that are served outside of the controllers
 */
export function requestTelemetry(times: HttpRequestTimes, traces: Traces, plainRoutes: readonly string[]) {
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

/** Method and route as the code has them, never as the client wrote them: `GET /v1/api-keys`. */
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
