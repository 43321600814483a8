import { OPERATIONS, type Operation } from '#domain/keys/verdict.js';
import { isPermission, isPermissionTemplate, namesIn } from '#domain/accounts/permission.js';

/** What a request through a proxy requires, by method and path. */
export interface ForwardAuthRoute {
  /** In upper case, or `*` for any. */
  readonly method: string;
  /** Decoded. `*` and `{id}` match one segment; `**` at the end matches the rest, which may be empty. */
  readonly path: string;
  /** In lower case, without port and final dot. Undefined: any. */
  readonly host: string | undefined;
  /** Undefined: derived from the method. */
  readonly operation: Operation | undefined;
  /** Empty when no permission is needed. `{id}` in it stands for the segment of this name. */
  readonly permission: string;
}

const FIELDS = ['method', 'host', 'path', 'operation', 'permission'];
const METHOD = /^(?:\*|[A-Z][A-Z-]{0,31})$/;
const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
const SEGMENT = /^(?:\*|\{[\w$-]+\}|[^*{}/%;?#\\\p{Cc}]+)$/u;

/** An entry of the file that FORWARD_AUTH_ROUTES names. */
export function parseForwardAuthRoute(entry: unknown): ForwardAuthRoute {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new Error('must be an object with method, path and permission');
  }
  if (Object.keys(entry).some((field) => !FIELDS.includes(field))) {
    throw new Error(`must have no fields but ${FIELDS.join(', ')}`);
  }
  const { method, host, path, operation, permission } = entry as Record<string, unknown>;
  if (typeof method !== 'string' || !METHOD.test(method)) {
    throw new Error('must have a method in capitals, or * for any');
  }
  if (typeof path !== 'string' || !isPattern(path)) {
    throw new Error(
      'must have a path such as /systems/*: * or {id} stands for one segment, ** at the end for the rest',
    );
  }
  if (host !== undefined && !(typeof host === 'string' && HOST.test(host))) {
    throw new Error('must have a host such as api.example.com, in lower case, without port and final dot, or none');
  }
  const known = OPERATIONS.find((each) => each === operation);
  if (operation !== undefined && known === undefined) {
    throw new Error(`must have one of the operations ${OPERATIONS.join(', ')}, or none`);
  }
  if (typeof permission !== 'string' || !isRequirement(permission)) {
    throw new Error('must have a permission such as systems:read or systems/{id}:read, or "" where none is needed');
  }
  const names = namesIn(path);
  const unknown = namesIn(permission).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`must have {${unknown}} of its permission in its path, too`);
  if (new Set(names).size < names.length) throw new Error('must have no name twice in its path');
  return { method, host, path, operation: known, permission };
}

function isRequirement(permission: string): boolean {
  return permission === '' || isPermission(permission) || isPermissionTemplate(permission);
}

function isPattern(path: string): boolean {
  if (!path.startsWith('/')) return false;
  const segments = path
    .replace(/\/(?:\*\*)?$/, '')
    .split('/')
    .slice(1);
  return segments.every((segment) => SEGMENT.test(segment) && !/^[.\s]+$/.test(segment));
}
