import type { Operation } from '../operation.js';

/**
 * What a route requires: one `resource:action`; or one for reads and another for everything else, to guard a whole
 * router at once; or null, when any good key is enough.
 */
export type Permission = string | { readonly read: string; readonly write: string } | null;

/** @throws {TypeError} the value is not a permission. An undefined variable must not mean "any good key". */
export function assertPermission(permission: Permission): void {
  if (permission === null) return;
  const required: unknown[] = typeof permission === 'object' ? [permission.read, permission.write] : [permission];
  for (const text of required) {
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
