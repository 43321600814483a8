import cors from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { LatchkeyError } from '#domain/errors.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses changes from pages of other sites, by Fetch Metadata or Origin. A client that sends neither is not a browser.
 * @param crossOrigins origins that may send changes with an Authorization header, which no browser adds by itself
 */
export function refuseCrossSite(ownOrigins: readonly string[], crossOrigins: readonly string[]) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const site = request.get('sec-fetch-site');
    const origin = request.get('origin');
    const isOwn =
      (site === undefined || site === 'same-origin' || site === 'none') &&
      (origin === undefined || ownOrigins.includes(origin));
    const isInvited =
      origin !== undefined && crossOrigins.includes(origin) && request.headers.authorization !== undefined;
    if (isOwn || isInvited || SAFE_METHODS.includes(request.method)) next();
    else next(new LatchkeyError('cross_site_request', 'Requests from other sites are refused: see PUBLIC_URL'));
  };
}

/** CORS without credentials: a page elsewhere sends its own token, never our cookie. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: [...origins],
    credentials: false,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Latchkey-Person', 'X-Request-Id'],
    exposedHeaders: [
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
      'Latchkey-Key-Expires',
      'RateLimit',
      'RateLimit-Policy',
    ],
    maxAge: 600,
  });
}
