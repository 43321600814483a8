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
import { type Permission, assertPermission } from './permission.js';
import type { HttpRequest } from './http-request.js';
import { questionFrom } from './question-from.js';

export interface RouteOptions {
  /** What the handler does, where no method tells: READ for a search by POST, DESTROY for a purge by POST. */
  readonly operation?: Operation | undefined;
  /** What methods stand for here, on top of what the guard says. */
  readonly operations?: OperationsByMethod | undefined;
}

/** Asks the service about a request to one route. Never rejects: a service that is away is a refusal with status 503. */
export type Route = (request: HttpRequest) => Promise<Decision>;

/**
 * @throws {TypeError} the permission is not of the form `resource:action`, or an operation is none
 */
export type MakeRoute = (permission: Permission, options?: RouteOptions) => Route;

export function routeWith(check: (question: Question) => Promise<Decision>, operationOf: OperationOf): MakeRoute {
  return (permission, options = {}) => {
    assertRoute(permission, options);
    const { operation, operations } = options;
    const ofMethod = overridden(operationOf, operations);
    return (request) => check(questionFrom(request, permission, operation ?? ofMethod(request.method ?? '')));
  };
}

/** @throws {TypeError} the permission is not of the form `resource:action`, or an operation is none */
export function assertRoute(permission: Permission, { operation, operations }: RouteOptions): void {
  assertPermission(permission);
  if (operation !== undefined) assertOperation(operation, 'operation');
  assertOperations(operations);
}
