import type { KeyChange } from '../keys/key-change.js';
import type { ApiKey } from '../keys/api-key.js';
import type { KeyNotice } from './key-notice.js';

/** The notices of a change, in the order in which they are sent. A rotation is announced with the new key. */
export function noticesOfChange(change: KeyChange, clientIp: string | null): KeyNotice[] {
  const { key, became } = change;
  if (became === 'created') return created(key, clientIp);
  if (became === 'expired') return [{ type: 'api_key.expired', key }];
  if (became !== 'revoked') return [];
  const revoked: KeyNotice = { type: 'api_key.revoked', key, reason: change.reason };
  return change.reason === 'leaked' ? [revoked, { type: 'api_key.leaked', key }] : [revoked];
}

function created(key: ApiKey, clientIp: string | null): KeyNotice[] {
  const { replaces: replacesKeyId } = key;
  if (replacesKeyId === null) return [{ type: 'api_key.created', key, clientIp }];
  return [
    { type: 'api_key.created', key, clientIp, replacesKeyId },
    { type: 'api_key.rotated', key, clientIp, replacesKeyId },
  ];
}
