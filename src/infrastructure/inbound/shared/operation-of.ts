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

/** Methods are case-sensitive (RFC 9110, section 9.1). Unknown methods count as an operation that no key may do. */
export function operationOf(method: string): Operation {
  return BY_METHOD.get(method) ?? 'destroy';
}

/**
 * An operation that no key may do, for a request of which nothing else is known. A good key is charged and gets 403. An
 * unknown client gets 401 and is recorded.
 */
export const CLOSED: Question = { operation: 'destroy', permission: '' };
