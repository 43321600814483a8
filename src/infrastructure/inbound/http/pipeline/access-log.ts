import type { NextFunction, Request, Response } from 'express';
import { withoutSecrets } from '../../../../domain/secrets.js';
import type { Log } from '../../../telemetry/log.js';
import type { LatchkeyRequest } from './request.js';

/** One line a request; the path without its query, which is never logged. */
export function accessLog(log: Log) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const start = performance.now();
    response.once('close', () => {
      log.info('request', {
        requestId: (request as LatchkeyRequest).requestId,
        method: request.method,
        path: withoutSecrets(request.originalUrl.split('?', 1)[0]!),
        status: response.statusCode,
        completed: response.writableFinished,
        latencyMs: Math.round((performance.now() - start) * 10) / 10,
      });
    });
    next();
  };
}
