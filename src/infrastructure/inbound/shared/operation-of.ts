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
 * The operation that an HTTP method stands for. Methods are case-sensitive (RFC 9110, section 9.1). Any other method
 * counts as an operation that no key may do, instead of being refused here: an unknown client then gets 401 and is
 * recorded, and a good key is charged and gets 403.
 */
export function operationOf(method: string): Operation {
  return BY_METHOD.get(method) ?? 'destroy';
}

/**
 * The question for a request of which nothing else is known: an operation that no key may do. So a good key is charged
 * and gets 403, and an unknown client gets 401 and is recorded, as everywhere else.
 */
export const CLOSED: Question = { operation: 'destroy', permission: '' };
