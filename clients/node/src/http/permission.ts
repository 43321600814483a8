import type { Operation } from '../operation.js';

/**
 * What a route requires: one `resource:action`; or one for reads and another for everything else, to guard a whole
 * router at once; or null, when any good key is enough. `{id}` as a part of a resource stands for the route's parameter
 * of this name: `systems/{id}:read`.
 */
export type Permission = string | { readonly read: string; readonly write: string } | null;

/** `{name}` */
const PLACEHOLDER = /\{([\w$-]+)\}/g;
/** One whole part of a resource. The service has the same grammar. */
const PART = /^(?!\.+$)[A-Za-z0-9._-]+$/;
const FILLED = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}:[a-z][a-z0-9._-]{0,27}$/;

/** @throws {TypeError} the value is not a permission. An undefined variable must not mean "any good key". */
export function assertPermission(permission: Permission): void {
  if (permission === null) return;
  const required: unknown[] = typeof permission === 'object' ? [permission.read, permission.write] : [permission];
  for (const text of required) {
    if (typeof text !== 'string' || !/^[^\s:*]+:[^\s:*]+$/.test(text)) {
      throw new TypeError(`permission: ${JSON.stringify(text)} is not of the form resource:action`);
    }
    if (/[{}]/.test(text) && !isTemplate(text)) {
      throw new TypeError(`permission: ${JSON.stringify(text)} is not of the form systems/{id}:read`);
    }
  }
}

/** Whether each placeholder is a whole part of the resource, and the rest is in the service's grammar. */
function isTemplate(text: string): boolean {
  const [resource = '', ...action] = text.split(':');
  const parts = resource.split('/').map((part) => part.replace(/^\{[\w$-]+\}$/, 'x'));
  return parts.every((part) => PART.test(part)) && FILLED.test([parts.join('/'), ...action].join(':'));
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
  if (!permission.includes('{')) return permission;
  const values = [...permission.matchAll(PLACEHOLDER)].map(([, name]) => ownValue(params, name!));
  if (!values.every((value) => typeof value === 'string' && PART.test(value))) return undefined;
  const filled = permission.replace(PLACEHOLDER, () => values.shift() as string);
  return FILLED.test(filled) ? filled : undefined;
}

function ownValue(params: unknown, name: string): unknown {
  const isObject = typeof params === 'object' && params !== null;
  return isObject && Object.hasOwn(params, name) ? (params as Record<string, unknown>)[name] : undefined;
}
