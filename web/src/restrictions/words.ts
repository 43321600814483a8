import type { ApiKey } from '../api/types';
import type { Texts } from '../texts';
import { byResource } from './permission';

type Restricted = Pick<ApiKey, 'permissions' | 'allowedNetworks'>;

/** What limits a key, in a few words each: `systems: read` or `3 permissions`, `2 networks`. */
export function fewWords({ permissions, allowedNetworks }: Restricted, { restrictions }: Texts): readonly string[] {
  return [
    ...(permissions ? [fewPermissions(permissions, restrictions.count)] : []),
    ...(allowedNetworks ? [restrictions.networks(allowedNetworks.length)] : []),
  ];
}

function fewPermissions(permissions: readonly string[], count: Texts['restrictions']['count']): string {
  const lines = linesOf(permissions);
  return lines.length === 1 ? lines[0]! : count(permissions.length);
}

/** One for each resource: `systems: read, write`. */
export const linesOf = (permissions: readonly string[]): readonly string[] =>
  [...byResource(permissions)].map(([resource, actions]) => `${resource}: ${actions.join(', ')}`);
