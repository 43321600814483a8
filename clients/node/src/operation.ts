const operations = ['READ', 'WRITE', 'DESTROY', 'MANAGE_API_KEYS', 'MANAGE_ACCOUNT', 'IMPERSONATE'] as const;

/** What a request does, in the service's terms. No key may ever do the last four. */
export type Operation = (typeof operations)[number];

/** The operation of each HTTP method, in capitals: `{ REPORT: 'READ' }`. */
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
 * A method that is not in the table (PROPFIND, TRACE, …) counts as DESTROY, which the service grants to no key. The
 * guard still calls the service instead of answering 403 here, so that the order of judgement stays the same: a client
 * without a good key gets 401 and is recorded, a client with a good key is charged and gets 403.
 */
export function operationOf(method: string): Operation {
  return byMethod.get(method) ?? 'DESTROY';
}

/** The operations of `base`, with some methods overridden. @throws {TypeError} as `assertOperations` */
export function overridden(base: OperationOf, by: OperationsByMethod | undefined): OperationOf {
  if (!by) return base;
  assertOperations(by);
  const ofMethod = new Map(Object.entries(by));
  return (method) => ofMethod.get(method) ?? base(method);
}

/** @throws {TypeError} a method is not in capitals, or an operation is unknown: it would have no effect, silently */
export function assertOperations(by: OperationsByMethod = {}): void {
  for (const [method, operation] of Object.entries(by)) {
    if (!/^[A-Z][A-Z-]*$/.test(method))
      throw new TypeError(`operations: "${method}" is not an HTTP method in capitals`);
    assertOperation(operation, `operations: ${method}`);
  }
}

/** @throws {TypeError} the operation is unknown */
export function assertOperation(operation: Operation, name: string): void {
  if (!operations.includes(operation)) throw new TypeError(`${name} must be one of ${operations.join(', ')}`);
}
