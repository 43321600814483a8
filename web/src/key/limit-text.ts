import type { KeyPolicy } from '../api/types';
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
