import type { Operation } from '../operation.js';

/**
 * What a route asks for: one `resource:action`; one for reads and another for everything else, to guard a whole
 * router at once; or null, when any good key will do.
 */
export type Permission = string | { readonly read: string; readonly write: string } | null;

/** @throws {TypeError} not a permission. An undefined variable must not turn into "any good key will do". */
export function assertPermission(permission: Permission): void {
  if (permission === null) return;
  const asked: unknown[] = typeof permission === 'object' ? [permission.read, permission.write] : [permission];
  for (const text of asked) {
    if (typeof text !== 'string' || !/^[^\s:*]+:[^\s:*]+$/.test(text)) {
      throw new TypeError(`permission: ${JSON.stringify(text)} is not of the form resource:action`);
    }
  }
}

export function permissionFor(operation: Operation, permission: Permission): string {
  if (permission === null) return '';
  if (typeof permission === 'string') return permission;
  return operation === 'READ' ? permission.read : permission.write;
}
