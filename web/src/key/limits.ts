import type { ApiKey, KeyPolicy } from '../api/types';
import type { Texts } from '../texts';
import { wordList } from '../time/format';

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

/** What limits a key, in a few words each: `read systems` or `3 permissions`, `2 networks`. */
export function fewWords({ permissions, allowedNetworks }: Restricted, texts: Texts): readonly string[] {
  const { restrictions } = texts;
  return [
    ...(permissions ? [fewPermissions(permissions, texts)] : []),
    ...(allowedNetworks ? [restrictions.networks(allowedNetworks.length)] : []),
  ];
}

export function fewPermissions(permissions: readonly string[], texts: Texts): string {
  const [first, ...others] = byResource(permissions);
  if (!first || others.length > 0) return texts.restrictions.count(permissions.length);
  return meaningOf([first[0]], first[1], texts);
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

/** In plain words: `billing/invoices` is "billing invoices". What has a digit may be an ID, and stays as it is. */
export const plain = (resource: string): string =>
  resource
    .split('/')
    .map((part) => (/^[a-z]+(?:[._-][a-z]+)+$/i.test(part) ? part.replaceAll(/[._-]/g, ' ') : part))
    .join(' ');

/** What some actions on some resources mean: "read and write systems". */
export function meaningOf(resources: readonly string[], actions: readonly string[], texts: Texts): string {
  const { history, language, restrictions } = texts;
  const { operation } = history.denied;
  // A link names any action.
  const verbs = actions.toSorted().map((action) => (Object.hasOwn(operation, action) ? operation[action]! : action));
  return restrictions.may(wordList(verbs, language), wordList(resources.map(plain), language));
}

/** At the beginning of a line. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
