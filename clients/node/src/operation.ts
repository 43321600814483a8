/** What a request does, in the service's words. No key may ever do the last four. */
export type Operation = 'READ' | 'WRITE' | 'DESTROY' | 'MANAGE_API_KEYS' | 'MANAGE_ACCOUNT' | 'IMPERSONATE';

const byMethod = new Map<string, Operation>([
  ['GET', 'READ'],
  ['HEAD', 'READ'],
  ['OPTIONS', 'READ'],
  ['POST', 'WRITE'],
  ['PUT', 'WRITE'],
  ['PATCH', 'WRITE'],
  ['DELETE', 'DESTROY'],
]);

/**
 * The operation that an HTTP method stands for. Methods are case-sensitive (RFC 9110, section 9.1).
 *
 * A method that is not in the table (PROPFIND, TRACE, …) counts as DESTROY, which the service grants to no key. Asking
 * the service, instead of answering 403 here, keeps the order of judgement: a stranger learns 401 and is recorded,
 * a good key is charged and learns 403.
 */
export function operationOf(method: string): Operation {
  return byMethod.get(method) ?? 'DESTROY';
}
