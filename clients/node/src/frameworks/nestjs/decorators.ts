import { type ExecutionContext, SetMetadata, UseGuards, applyDecorators, createParamDecorator } from '@nestjs/common';
import type { Principal as GuardPrincipal } from '../../decision.js';
import type { Permission as RoutePermission } from '../../http/permission.js';
import { type GuardedRequest, principalOf } from '../../http/principal.js';
import { assertRoute } from '../../http/route.js';
import {
  LatchkeyGuard,
  OPEN,
  type PermissionOptions,
  isAdmitted,
  protectionKey,
  rawRequest,
} from './latchkey-guard.js';

/**
 * Lets only granted requests through to a handler, or to all handlers of a controller. On a handler it replaces the one
 * on the controller.
 *
 * @throws {TypeError} the permission is not of the form `resource:action`, or an operation is unknown
 */
export function Permission(
  permission: RoutePermission,
  options: PermissionOptions = {},
): ClassDecorator & MethodDecorator {
  assertRoute(permission, options);
  return applyDecorators(SetMetadata(protectionKey, { permission, options }), UseGuards(LatchkeyGuard));
}

/**
 * Lets everybody through to a handler, or to all handlers of a controller, where LatchkeyGuard is a global guard. On a
 * handler it replaces `@Permission` on the controller. There is no principal.
 */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(protectionKey, OPEN);

/**
 * The account and the key that the request acts with: `@Principal() principal: Principal`. It is undefined
 * for a request without an API key that `otherwise` let through. Throws on a route without `@Permission`.
 */
export const Principal: () => ParameterDecorator = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request: GuardedRequest = rawRequest(context);
  return isAdmitted(request) ? request.latchkey : principalOf(request);
});

export type Principal = GuardPrincipal;
