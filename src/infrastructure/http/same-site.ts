import type { NextFunction, Request, Response } from 'express';
import { LatchkeyError } from '../../domain/errors.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses changes that a page of another site sends: by Fetch Metadata and by Origin, whichever the browser tells.
 * Neither header means no browser, which carries nobody's cookie against their will.
 */
export function refuseCrossSite(allowedOrigins: readonly string[]) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const site = request.get('sec-fetch-site');
    const origin = request.get('origin');
    const isSame =
      (site === undefined || site === 'same-origin' || site === 'none') &&
      (origin === undefined || allowedOrigins.includes(origin));
    if (isSame || SAFE_METHODS.includes(request.method)) next();
    else next(new LatchkeyError('cross_site_request', 'Requests from other sites are refused: see PUBLIC_URL'));
  };
}
