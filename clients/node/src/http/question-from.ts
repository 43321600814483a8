import type { Operation } from '../operation.js';
import type { Question } from '../question.js';
import { type ClientAddress, clientAddress } from './client-address.js';
import { type HttpRequest, rawHeadersOf } from './http-request.js';
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
  const does = filled === undefined ? 'DESTROY' : operation;
  return new HttpQuestion(request, does, filled ?? '', template, clientAddress(request, own));
}

/** What a lease does not need is read only when the service is called. */
class HttpQuestion implements Question {
  readonly authorization: readonly string[];

  constructor(
    private readonly request: HttpRequest,
    readonly operation: Operation,
    readonly permission: string,
    readonly template: string,
    readonly clientIp: string,
  ) {
    this.authorization = valuesOf(request, 'authorization');
  }

  get method(): string {
    return this.request.method ?? '';
  }

  get userAgent(): string | undefined {
    return valuesOf(this.request, 'user-agent')[0];
  }

  get requestId(): string | undefined {
    return valuesOf(this.request, 'x-request-id')[0];
  }
}

export function valuesOf(request: Pick<HttpRequest, 'rawHeaders' | 'headers'>, name: string): string[] {
  const rawHeaders = rawHeadersOf(request);
  const values: string[] = [];
  for (let at = 1; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at - 1]!;
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[at]!);
  }
  return values;
}
