import type { Decision } from '../decision.js';
import { type CredentialForm, readCredential } from '../../../../src/domain/keys/credential.js';
import {
  type Operation,
  type OperationOf,
  type OperationsByMethod,
  assertOperation,
  assertOperations,
  overridden,
} from '../operation.js';
import type { Question } from '../question.js';
import { type ClientAddress, clientAddress } from './client-address.js';
import { type HttpRequest, valuesOf } from './http-request.js';
import { type Permission, assertPermission, filledIn, permissionFor } from './permission.js';

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
  readonly credentials?: readonly CredentialForm[] | undefined;
}

export function routeWith({
  check,
  operationOf,
  clientAddress: ownAddress,
  credentials = ['bearer'],
}: RouteParts): MakeRoute {
  const isBearerOnly = credentials.length === 1 && credentials[0] === 'bearer';
  const isPrivate = credentials.includes('x-api-key');
  const checkForm = async (question: Question, request: HttpRequest): Promise<Decision> => {
    const values = (name: string) => valuesOf(request, name);
    const { credential, challenge } = readCredential(credentials, {
      values,
      host: () => [...values(':authority'), ...values('host')][0],
    });
    const found = 'apiKey' in credential ? credential : { authorization: [credential.authorization] };
    const decision = await check({ ...question, ...found });
    return { ...decision, isPrivate, ...(!decision.allowed && decision.status === 401 && { challenge }) };
  };
  return (permission, options = {}) => {
    assertRoute(permission, options);
    const { operation, operations } = options;
    const ofMethod = overridden(operationOf, operations);
    return (request) => {
      const does = operation ?? ofMethod(request.method ?? '');
      const question = questionFrom(request, permission, does, ownAddress);
      return isBearerOnly ? check(question) : checkForm(question, request);
    };
  };
}

/** @throws {TypeError} the permission is not of the form `resource:action`, or an operation is unknown */
export function assertRoute(permission: Permission, { operation, operations }: RouteOptions): void {
  assertPermission(permission);
  if (operation !== undefined) assertOperation(operation, 'operation');
  assertOperations(operations);
}

/**
 * Turns an HTTP request into a question. The key is in the Authorization header, unless `credentials` allows more.
 *
 * A request whose parameters cannot be part of a permission counts as DESTROY, like an unknown method: see
 * `operationOf`.
 */
export function questionFrom(
  request: HttpRequest,
  permission: Permission,
  operation: Operation,
  ownAddress?: ClientAddress,
): Question {
  const template = permissionFor(operation, permission);
  const filled = filledIn(template, request.params);
  return {
    authorization: valuesOf(request, 'authorization'),
    method: request.method ?? '',
    operation: filled === undefined ? 'DESTROY' : operation,
    permission: filled ?? '',
    template,
    clientIp: clientAddress(request, ownAddress),
    userAgent: valuesOf(request, 'user-agent')[0],
    requestId: valuesOf(request, 'x-request-id')[0],
  };
}
