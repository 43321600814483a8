import type { Decision } from '../decision.js';
import {
  type Operation,
  type OperationOf,
  type OperationsByMethod,
  assertOperation,
  assertOperations,
  overridden,
} from '../operation.js';
import type { Question } from '../question.js';
import type { ClientAddress } from './client-address.js';
import { type Permission, assertPermission } from './permission.js';
import type { HttpRequest } from './http-request.js';
import { questionFrom } from './question-from.js';

export interface RouteOptions {
  /** What the handler does, where the method does not show it: READ for a search by POST, DESTROY for a purge. */
  readonly operation?: Operation | undefined;
  /** Operations of HTTP methods on this route, in addition to the guard's own. */
  readonly operations?: OperationsByMethod | undefined;
}

/**
 * Checks a request to one route with the service. Never rejects: without a usable answer it refuses with status 503.
 */
export type Route = (request: HttpRequest) => Promise<Decision>;

/**
 * Prepares the questions about one route.
 *
 * @throws {TypeError} the permission is not of the form `resource:action`, or an operation is unknown
 */
export type MakeRoute = (permission: Permission, options?: RouteOptions) => Route;

export interface RouteParts {
  readonly check: (question: Question) => Promise<Decision>;
  readonly operationOf: OperationOf;
  /** The option of the guard. */
  readonly clientAddress?: ClientAddress | undefined;
}

export function routeWith({ check, operationOf, clientAddress }: RouteParts): MakeRoute {
  return (permission, options = {}) => {
    assertRoute(permission, options);
    const { operation, operations } = options;
    const ofMethod = overridden(operationOf, operations);
    return (request) => {
      const does = operation ?? ofMethod(request.method ?? '');
      return check(questionFrom(request, { permission, operation: does, clientAddress }));
    };
  };
}

/** @throws {TypeError} the permission is not of the form `resource:action`, or an operation is unknown */
export function assertRoute(permission: Permission, { operation, operations }: RouteOptions): void {
  assertPermission(permission);
  if (operation !== undefined) assertOperation(operation, 'operation');
  assertOperations(operations);
}
