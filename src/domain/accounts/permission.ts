import { oncePerList } from '../once-per-list.js';
import type { AccessLevel } from './access-level.js';

/** `resource:action`, without wildcards. */
const PERMISSION = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}:[A-Za-z0-9][A-Za-z0-9._-]{0,27}$/;

/** The grammar of new permissions: no segment of the resource is empty or only dots, and actions are lower case. */
const SEGMENT = String.raw`(?!\.+[/:])[A-Za-z0-9._-]+`;
const ACTION = '[a-z][a-z0-9._-]{0,27}';
const NEW_PERMISSION = new RegExp(`^(?=[A-Za-z0-9][^:]{0,99}:)${SEGMENT}(?:/${SEGMENT})*:${ACTION}$`);
const NEW_ACTION = new RegExp(`^${ACTION}$`);

/** For permissions that are stored or asked for, which may be older than the grammar of new ones. */
export function isPermission(text: string): boolean {
  return PERMISSION.test(text);
}

export function isNewPermission(text: string): boolean {
  return NEW_PERMISSION.test(text);
}

export function newPermissionProblem(text: string): string | undefined {
  if (isNewPermission(text)) return undefined;
  const [resource = '', action, more] = text.split(':');
  if (action === undefined || more !== undefined || !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(resource))
    return 'must have the form resource:action without wildcards';
  if (resource.length > 100) return 'must have a resource of at most 100 characters';
  if (!NEW_ACTION.test(action))
    return 'must have an action of up to 28 characters of [a-z0-9._-] that starts with a letter';
  return 'must have no part between two / that is empty or only dots';
}

/** What follows the first colon; empty where no resource precedes it. */
export function actionOf(permission: string): string {
  const colon = permission.indexOf(':');
  return colon > 0 ? permission.slice(colon + 1) : '';
}

/**
 * Whether one of these permissions covers `permission`: a permission covers itself and, with the same action,
 * everything below it by `/`. `systems:read` covers `systems/42:read`. Letters are compared byte for byte. A value
 * outside the grammar of new permissions covers only itself, and nothing else covers it.
 */
export function isCovered(permission: string, by: Pick<ReadonlySet<string>, 'has'>): boolean {
  return by.has(permission) || above(permission).some((wider) => by.has(wider));
}

/** The longest of these permissions that covers `permission`. */
export function coveringPermission(permission: string, among: readonly string[]): string | undefined {
  return among.includes(permission) ? permission : above(permission).find((wider) => among.includes(wider));
}

/** What both lists cover: the narrower permission of each pair. */
export function coveredByBoth(one: readonly string[], other: readonly string[]): string[] {
  const [ours, theirs] = [new Set(one), new Set(other)];
  const isBelow = (permission: string, by: ReadonlySet<string>) => above(permission).some((wider) => by.has(wider));
  return [
    ...other.filter((permission) => ours.has(permission) || isBelow(permission, ours)),
    ...one.filter((permission) => !theirs.has(permission) && isBelow(permission, theirs)),
  ];
}

/** The permissions that cover this one, without itself. */
function above(permission: string): readonly string[] {
  const colon = permission.indexOf(':');
  let slash = permission.lastIndexOf('/', colon);
  if (slash < 0 || !isNewPermission(permission)) return [];
  const wider: string[] = [];
  for (; slash > 0; slash = permission.lastIndexOf('/', slash - 1)) {
    wider.push(permission.slice(0, slash) + permission.slice(colon));
  }
  return wider;
}

/** `{id}` in `systems/{id}:read`: one whole part of the resource, which each request names. */
const PLACEHOLDER = /\{([\w$-]+)\}/g;

export function isPermissionTemplate(text: string): boolean {
  const [resource = '', ...action] = text.split(':');
  const parts = resource.split('/').map((part) => (nameOf(part) === undefined ? part : 'x'));
  return isNewPermission([parts.join('/'), ...action].join(':'));
}

/** The name in a part that is one placeholder. */
export function nameOf(part: string): string | undefined {
  const [whole, name] = [...part.matchAll(PLACEHOLDER)][0] ?? [];
  return whole === part ? name : undefined;
}

export function namesIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}

/** @returns undefined if a value is missing or cannot be exactly one part, so that no key may do what is requested */
export function fillIn(template: string, values: Pick<ReadonlyMap<string, string>, 'get'>): string | undefined {
  if (!template.includes('{')) return template;
  const filled = template.replace(PLACEHOLDER, (_, name: string) => values.get(name) ?? '');
  const isPartForPart = filled.split('/').length === template.split('/').length;
  return isPartForPart && isNewPermission(filled) ? filled : undefined;
}

const ALLOWED_ACTIONS: Readonly<Record<AccessLevel, readonly string[]>> = {
  'read-only': ['read'],
  'read-and-write': ['read', 'write'],
};

export function accessAllows(access: AccessLevel, action: string): boolean {
  return ALLOWED_ACTIONS[access].includes(action);
}

/**
 * What a key may do now: the owner's permissions whose action the access level allows. Permissions with another action
 * are left out. A key with a subset may do what both the owner's permissions and the subset cover.
 */
export function effectivePermissions(
  access: AccessLevel,
  ownerPermissions: readonly string[],
  subset: readonly string[] | null = null,
): readonly string[] {
  const usable = USABLE[access](ownerPermissions);
  return subset === null ? usable : ofSubset(usable)(subset);
}

const usableWith = (access: AccessLevel) =>
  oncePerList((owned) => owned.filter((permission) => accessAllows(access, actionOf(permission))));
const USABLE = { 'read-only': usableWith('read-only'), 'read-and-write': usableWith('read-and-write') } as const;

/** Comparing a hundred permissions with a hundred others takes longer than the rest of a validation. */
const ofSubset = oncePerList((usable) => oncePerList((subset) => coveredByBoth(usable, subset)));

/** What an owner may give a key. Only permissions of the grammar of new ones can be given. */
export function permissionsToGive(access: AccessLevel, ownerPermissions: readonly string[]): string[] {
  return USABLE[access](ownerPermissions).filter(isNewPermission);
}
