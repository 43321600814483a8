import type { NextFunction, Request, Response } from 'express';
import { LatchkeyError } from '../../../../domain/errors.js';
import type { ServiceIdentity } from '../../shared/service-identity.js';
import { headerValues, type LatchkeyRequest } from '../pipeline/request.js';

/** Ahead of the body, which may be large: only who reports leaked keys gets past. Anyone else is 401, as GitLab's API has it. */
export function reportersOnly(identity: ServiceIdentity) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    try {
      const authorization = headerValues(request, 'authorization');
      (request as LatchkeyRequest).reporter = identity.require('reporter', { authorization, mayBeBare: true });
    } catch {
      next(new LatchkeyError('unauthenticated', 'Authorization must be a service token with the role reporter'));
      return;
    }
    next();
  };
}
