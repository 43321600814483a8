import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { Principal as GuardPrincipal } from '../../decision.js';
import { principalOf } from '../../http/principal.js';
import { rawRequest } from './raw-request.js';

/**
 * The account and the key that the request acts with: `@Principal() principal: Principal`. Throws on a route without
 * `@Permission`.
 */
export const Principal: () => ParameterDecorator = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(rawRequest(context)),
);

export type Principal = GuardPrincipal;
