import type { NextFunction, Request, Response } from 'express';
import { LatchkeyError } from '../../../../domain/errors.js';
import type { ServiceIdentity } from '../../shared/service-identity.js';
import type { HttpDoor } from '../http-door.js';
import { jsonBodies } from '../pipeline/body-parsing.js';
import { headerValues, type LatchkeyRequest } from '../pipeline/request.js';
import { LeakedKeysController } from './leaked-keys.controller.js';
import { TokenRevocationController } from './token-revocation.controller.js';

/** A hundred lines of a log. */
const LEAKED_KEYS_LIMIT = '256kb';
/** GitLab sends everything it found in one request, however large. */
const LEAKED_TOKENS_LIMIT = '1mb';

export function leaksDoor(identity: ServiceIdentity): HttpDoor {
  const reporters = reportersOnly(identity);
  return {
    controllers: [LeakedKeysController, TokenRevocationController],
    policies: {
      '/v1/leaked-keys': { handlers: [jsonBodies(LEAKED_KEYS_LIMIT)] },
      '/v1/revocable_token_types': { handlers: [reporters] },
      '/v1/revoke_tokens': { handlers: [reporters, jsonBodies(LEAKED_TOKENS_LIMIT)] },
    },
  };
}

/** Runs before the body is read, which may be large. All other callers get 401, as in GitLab's API. */
function reportersOnly(identity: ServiceIdentity) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    try {
      const authorization = headerValues(request, 'authorization');
      const caller = { authorization, mayBeBare: true, address: () => request.ip };
      (request as LatchkeyRequest).reporter = identity.require('reporter', caller, request.baseUrl);
    } catch {
      next(new LatchkeyError('unauthenticated', 'Authorization must be a service token with the role reporter'));
      return;
    }
    next();
  };
}
