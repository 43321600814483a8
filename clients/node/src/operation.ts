const operations = ['READ', 'WRITE', 'DESTROY', 'MANAGE_API_KEYS', 'MANAGE_ACCOUNT', 'IMPERSONATE'] as const;

/** What a request does, in the service's words. No key may ever do the last four. */
export type Operation = (typeof operations)[number];

/** By HTTP method, in capitals: `{ REPORT: 'READ' }`. */
export type OperationsByMethod = Readonly<Record<string, Operation>>;

export type OperationOf = (method: string) => Operation;

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

/** What methods stand for where some stand for something else. @throws {TypeError} as `assertOperations` */
export function overridden(base: OperationOf, by: OperationsByMethod | undefined): OperationOf {
  if (!by) return base;
  assertOperations(by);
  const ofMethod = new Map(Object.entries(by));
  return (method) => ofMethod.get(method) ?? base(method);
}

/** @throws {TypeError} not a method in capitals, or not an operation: it would silently change nothing */
export function assertOperations(by: OperationsByMethod = {}): void {
  for (const [method, operation] of Object.entries(by)) {
    if (!/^[A-Z][A-Z-]*$/.test(method))
      throw new TypeError(`operations: "${method}" is not an HTTP method in capitals`);
    assertOperation(operation, `operations: ${method}`);
  }
}

/** @throws {TypeError} not an operation */
export function assertOperation(operation: Operation, name: string): void {
  if (!operations.includes(operation)) throw new TypeError(`${name} must be one of ${operations.join(', ')}`);
}
