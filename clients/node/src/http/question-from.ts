import type { Operation } from '../operation.js';
import type { Question } from '../question.js';
import { type ClientAddress, clientAddress } from './client-address.js';
import type { HttpRequest } from './http-request.js';
import { type Permission, filledIn, permissionFor } from './permission.js';

interface Requirement {
  readonly permission: Permission;
  readonly operation: Operation;
  readonly clientAddress: ClientAddress | undefined;
}

/**
 * Turns an HTTP request into a question. The key is read from the Authorization header and from nowhere else.
 *
 * A request whose parameters cannot be part of a permission counts as DESTROY, like an unknown method: see
 * `operationOf`.
 */
export function questionFrom(
  request: HttpRequest,
  { permission, operation, clientAddress: own }: Requirement,
): Question {
  const template = permissionFor(operation, permission);
  const filled = filledIn(template, request.params);
  return {
    authorization: valuesOf(request, 'authorization'),
    method: request.method ?? '',
    operation: filled === undefined ? 'DESTROY' : operation,
    permission: filled ?? '',
    template,
    clientIp: clientAddress(request, own),
    userAgent: valuesOf(request, 'user-agent')[0],
    requestId: valuesOf(request, 'x-request-id')[0],
  };
}

/** From rawHeaders, because `headers` hides a second Authorization header. */
export function valuesOf({ rawHeaders }: Pick<HttpRequest, 'rawHeaders'>, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
