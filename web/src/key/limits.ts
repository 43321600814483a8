import type { ApiKey, KeyPolicy } from '../api/types';
import type { Texts } from '../texts';

/** Names a limit and who set it. */
export function limitText(
  policy: KeyPolicy,
  limit: 'maxActiveKeys' | 'maxKeyDays' | 'maxAccess',
  { keys: { limits }, create }: Texts,
): string {
  const allowed = {
    maxActiveKeys: limits.keys(policy.maxActiveKeys),
    maxKeyDays: limits.days(create.days(policy.maxKeyDays)),
    maxAccess: limits.access,
  };
  return limits[policy.limitedByAccount.includes(limit) ? 'account' : 'service'](allowed[limit]);
}

type Restricted = Pick<ApiKey, 'permissions' | 'allowedNetworks'>;

/** What limits a key, in a few words each: `systems · read` or `3 permissions`, `2 networks`. */
export function fewWords({ permissions, allowedNetworks }: Restricted, texts: Texts): readonly string[] {
  const { restrictions } = texts;
  return [
    ...(permissions ? [fewPermissions(permissions, texts)] : []),
    ...(allowedNetworks ? [restrictions.networks(allowedNetworks.length)] : []),
  ];
}

function fewPermissions(permissions: readonly string[], texts: Texts): string {
  const lines = linesOf(permissions, texts);
  return lines.length === 1 ? lines[0]! : texts.restrictions.count(permissions.length);
}

/** Each resource once, with its actions, in the order of the list. */
export function byResource(permissions: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const actions = new Map<string, string[]>();
  for (const permission of permissions) {
    const [resource = '', action = ''] = permission.split(':');
    actions.set(resource, [...(actions.get(resource) ?? []), action]);
  }
  return actions;
}

/** What one resource's permissions mean: `systems · read, write`. */
export const meaningOf = (resource: string, actions: readonly string[], { history }: Texts): string =>
  `${resource} · ${actions.map((action) => history.denied.operation[action] ?? action).join(', ')}`;

/** One for each resource. */
export const linesOf = (permissions: readonly string[], texts: Texts): readonly string[] =>
  [...byResource(permissions)].map(([resource, actions]) => meaningOf(resource, actions, texts));
