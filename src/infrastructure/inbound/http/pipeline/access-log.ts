import type { NextFunction, Request, Response } from 'express';
import { withoutSecrets } from '../../../../domain/secrets.js';
import type { Log } from '../../../telemetry/log.js';
import type { LatchkeyRequest } from './request.js';

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
