import type { IncomingMessage } from 'node:http';
import { type Operation, operationOf } from '../operation.js';
import type { Question } from '../question.js';
import { clientAddress } from './client-address.js';
import { type Permission, permissionFor } from './permission.js';

/** Puts an HTTP request as a question. The key is read from the Authorization header and from nowhere else. */
export function questionFrom(req: IncomingMessage, permission: Permission, operation?: Operation): Question {
  const method = req.method ?? '';
  return {
    authorization: valuesOf(req, 'authorization'),
    method,
    operation,
    permission: permissionFor(operation ?? operationOf(method), permission),
    clientIp: clientAddress(req),
    userAgent: valuesOf(req, 'user-agent')[0],
    requestId: valuesOf(req, 'x-request-id')[0],
  };
}

/** From rawHeaders, because `req.headers` hides a second Authorization header. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
