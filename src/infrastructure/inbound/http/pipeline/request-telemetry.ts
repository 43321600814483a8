import type { NextFunction, Request, Response } from 'express';
import { withoutSecrets } from '#domain/secrets.js';
import type { Outcome, RequestTimes } from '#infrastructure/telemetry/request-times.js';
import type { Traces } from '#infrastructure/telemetry/traces.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type { LatchkeyRequest } from './request.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface HttpTelemetry {
  readonly log: Log;
  readonly times: RequestTimes;
  readonly traces: Traces;
}

interface Observation extends HttpTelemetry {
  /** Paths that programs call regularly. Success is then logged at debug only. */
  readonly probes: readonly string[];
  /** Paths that are served without a controller. */
  readonly plainRoutes: readonly string[];
  /** What any other path is called. */
  readonly elsewhere: string;
}

/** Logs, times and traces each request. The line of the log has its path but never its query. */
export function observe({ log, times, traces, probes, plainRoutes, elsewhere }: Observation) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    traces.serve('HTTP', request.get('traceparent'), (span) => {
      response.once('close', () => {
        const path = request.originalUrl.split('?', 1)[0]!;
        const isProbe = response.statusCode === 200 && probes.includes(path);
        log[isProbe ? 'debug' : 'info']('request', {
          requestId: (request as LatchkeyRequest).requestId,
          method: request.method,
          path: withoutSecrets(path),
          status: response.statusCode,
          completed: response.writableFinished,
          latencyMs: Math.round((performance.now() - begun) * 10) / 10,
        });
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
