import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { Principal as GuardPrincipal } from '../../decision.js';
import { type GuardedRequest, principalOf } from '../../http/principal.js';
import { isAdmitted } from './latchkey-guard.js';
import { rawRequest } from './raw-request.js';

/**
 * The account and the key that the request acts with: `@Principal() principal: Principal`. It is undefined
 * for a request without an API key that `otherwise` let through. Throws on a route without `@Permission`.
 */
export const Principal: () => ParameterDecorator = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request: GuardedRequest = rawRequest(context);
  return isAdmitted(request) ? request.latchkey : principalOf(request);
});

export type Principal = GuardPrincipal;
