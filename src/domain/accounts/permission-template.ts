import { isNewPermission } from './permission.js';

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

/** The names in a template; none in a permission. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}

/** @returns undefined if a value is missing or cannot be exactly one part, so that no key may do what is requested */
export function fillIn(template: string, values: ReadonlyMap<string, string>): string | undefined {
  if (!template.includes('{')) return template;
  const filled = template.replace(PLACEHOLDER, (_, name: string) => values.get(name) ?? '');
  const isPartForPart = filled.split('/').length === template.split('/').length;
  return isPartForPart && isNewPermission(filled) ? filled : undefined;
}
