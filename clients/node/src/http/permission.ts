import { fillIn, isPermissionTemplate } from '../../../../src/domain/accounts/permission.js';
import type { Operation } from '../operation.js';

/**
 * What a route requires: one `resource:action`; or one for reads and another for everything else, to guard a whole
 * router at once; or null, when any good key is enough. `{id}` as a part of a resource stands for the route's parameter
 * of this name: `systems/{id}:read`.
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
    if (/[{}]/.test(text) && !isPermissionTemplate(text)) {
      throw new TypeError(`permission: ${JSON.stringify(text)} is not of the form systems/{id}:read`);
    }
  }
}

/** As the route names it: parameters are not filled in. */
export function permissionFor(operation: Operation, permission: Permission): string {
  if (permission === null) return '';
  if (typeof permission === 'string') return permission;
  return operation === 'READ' ? permission.read : permission.write;
}

/**
 * Fills in the route's parameters, each as exactly one part of the resource.
 *
 * @param params as the framework decoded them, so that the handler gets the same values
 * @returns undefined if a value is missing or cannot be one part: with `/` or `%`, only dots, empty, too long
 */
export function filledIn(permission: string, params: unknown): string | undefined {
  return fillIn(permission, { get: (name) => ownText(params, name) });
}

function ownText(params: unknown, name: string): string | undefined {
  const isObject = typeof params === 'object' && params !== null;
  const value = isObject && Object.hasOwn(params, name) ? (params as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
