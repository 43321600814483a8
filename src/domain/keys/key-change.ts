import type { ApiKey } from './api-key.js';
import type { EndStatus } from './key-status.js';
import type { RevocationReason } from './revocation-reason.js';

/** A change of one key. All changes of a call are stored together. */
export type KeyChange =
  | { readonly key: ApiKey; readonly became: 'created' | 'rotated' | 'expired' }
  | { readonly key: ApiKey; readonly became: 'revoked'; readonly reason: RevocationReason }
  /**
   * Without an event: a successor was used for the first time, the old key was given an end, that end was cancelled.
   */
  | { readonly key: ApiKey; readonly became: 'used' | 'ending' | 'kept' };

/** The change for an end by the clock. */
export function endedByClock(key: ApiKey, end: EndStatus): KeyChange {
  return end === 'expired' ? { key, became: 'expired' } : { key, became: 'revoked', reason: 'rotated' };
}
