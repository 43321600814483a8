import type { Operation } from '../../../domain/keys/access.js';
import type { Question } from '../../../domain/keys/verdict.js';

const BY_METHOD = new Map<string, Operation>([
  ['GET', 'read'],
  ['HEAD', 'read'],
  ['OPTIONS', 'read'],
  ['POST', 'write'],
  ['PUT', 'write'],
  ['PATCH', 'write'],
  ['DELETE', 'destroy'],
]);

/**
 * The operation that an HTTP method stands for; methods are case-sensitive (RFC 9110, section 9.1). Any other method
 * counts as one that no key may do, rather than being refused unasked: a stranger then learns 401 and is recorded, a
 * good key is charged and learns 403.
 */
export function operationOf(method: string): Operation {
  return BY_METHOD.get(method) ?? 'destroy';
}

/**
 * What is asked about a request that nothing says more of: an operation that no key may do. So a good key is charged and
 * told 403, while a stranger is told 401 and recorded, as everywhere else.
 */
export const CLOSED: Question = { operation: 'destroy', permission: '' };
