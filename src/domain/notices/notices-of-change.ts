import type { KeyChange } from '../keys/key-change.js';
import { PAUSE_OF } from '../keys/key-pauses.js';
import type { ApiKey } from '../keys/api-key.js';
import type { LeakSite } from '../audit/event-details.js';
import type { KeyNotice } from './key-notice.js';

interface Circumstances {
  readonly clientIp: string | null;
  readonly leakedAt?: LeakSite | undefined;
}

/** The notices of a change, in the order in which they are sent. A rotation is announced with the new key. */
export function noticesOfChange(change: KeyChange, { clientIp, leakedAt }: Circumstances): KeyNotice[] {
  const { key, became } = change;
  if (became === 'created') return created(key, clientIp);
  if (became === 'expired') return [{ type: 'api_key.expired', key }];
  if (became === 'paused') return [{ type: 'api_key.paused', key, pausedUntil: key.snapshot()[PAUSE_OF[change.by]] }];
  if (became !== 'revoked') return [];
  const { reason } = change;
  if (reason !== 'leaked') return [{ type: 'api_key.revoked', key, reason }];
  const leak = leakedAt && { leak: leakedAt };
  return [
    { type: 'api_key.revoked', key, reason, ...leak },
    { type: 'api_key.leaked', key, ...leak },
  ];
}

function created(key: ApiKey, clientIp: string | null): KeyNotice[] {
  const { replaces: replacesKeyId } = key;
  if (replacesKeyId === null) return [{ type: 'api_key.created', key, clientIp }];
  return [
    { type: 'api_key.created', key, clientIp, replacesKeyId },
    { type: 'api_key.rotated', key, clientIp, replacesKeyId },
  ];
}
