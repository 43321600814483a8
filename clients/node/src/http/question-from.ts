import type { Operation } from '../operation.js';
import type { Question } from '../question.js';
import { clientAddress } from './client-address.js';
import { type Permission, permissionFor } from './permission.js';

/** What the guard looks at of a request. Node's own requests are of this shape, and so are those of Express. */
export interface HttpRequest {
  readonly method?: string | undefined;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** What the framework made of its trusted proxies. */
  readonly ip?: unknown;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Puts an HTTP request as a question. The key is read from the Authorization header and from nowhere else. */
export function questionFrom(request: HttpRequest, permission: Permission, operation: Operation): Question {
  return {
    authorization: valuesOf(request, 'authorization'),
    method: request.method ?? '',
    operation,
    permission: permissionFor(operation, permission),
    clientIp: clientAddress(request),
    userAgent: valuesOf(request, 'user-agent')[0],
    requestId: valuesOf(request, 'x-request-id')[0],
  };
}

/** From rawHeaders, because `headers` hides a second Authorization header. */
function valuesOf({ rawHeaders }: HttpRequest, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
