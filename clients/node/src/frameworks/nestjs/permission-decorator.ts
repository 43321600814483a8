import { SetMetadata, UseGuards, applyDecorators } from '@nestjs/common';
import type { Permission as RoutePermission } from '../../http/permission.js';
import { assertRoute } from '../../http/route.js';
import { LatchkeyGuard, OPEN, type PermissionOptions, protectionKey } from './latchkey-guard.js';

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
