import type { ApiKey } from './api-key.js';
import type { EndStatus } from './key-status.js';
import type { RevocationReason } from './revocation-reason.js';

/** What became of a key, to be stored together with all that became of the others. */
export type KeyChange =
  | { readonly key: ApiKey; readonly became: 'created' | 'rotated' | 'expired' }
  | { readonly key: ApiKey; readonly became: 'revoked'; readonly reason: RevocationReason }
  /** The first use of a successor, the end that it gives to the key before it, and that end taken back: no events. */
  | { readonly key: ApiKey; readonly became: 'used' | 'ending' | 'kept' };

/** The change that an end by the clock is. */
export function endedByClock(key: ApiKey, end: EndStatus): KeyChange {
  return end === 'expired' ? { key, became: 'expired' } : { key, became: 'revoked', reason: 'rotated' };
}
