import type { ApiKey } from './api-key.js';
import type { PausedBy, EndStatus } from './key-status.js';
import type { KeyLabel } from './key-state.js';

/** Why a key was revoked. Events from before reasons were introduced have none. */
export type RevocationReason =
  /** In the settings screen or over HTTP. */
  | 'owner'
  /** At the command line, or by an administrator on the settings screen. */
  | 'administrator'
  /** Over gRPC. */
  | 'platform'
  /** The grace period after the first use of its successor is over. */
  | 'rotated'
  /** Somebody reported the key string as leaked. */
  | 'leaked'
  /** The owner's account was purged. */
  | 'purged'
  /** Nobody had used it for as many days as the operator allows. */
  | 'idle';

/** A change of one key. All changes of a call are stored together. */
export type KeyChange =
  | { readonly key: ApiKey; readonly became: 'created' | 'rotated' | 'expired' }
  | { readonly key: ApiKey; readonly became: 'revoked'; readonly reason: RevocationReason }
  | { readonly key: ApiKey; readonly became: 'paused' | 'resumed'; readonly by: PausedBy }
  | { readonly key: ApiKey; readonly became: 'renamed'; readonly previous: KeyLabel }
  /** A successor's first use. `replaced` is the old key if it was still active: its end is set with it. */
  | { readonly key: ApiKey; readonly became: 'used'; readonly replaced: ApiKey | undefined }
  /** Without an event of their own: the old key at the first use, and when the rotation is cancelled. */
  | { readonly key: ApiKey; readonly became: 'ending' | 'kept' };

/** Whether such a revocation of the successor cancels the rotation. After any other, the old key ends as planned. */
export function cancelsRotation(reason: string | null): boolean {
  return reason === 'owner' || reason === 'administrator';
}

export function changeAtEnd(key: ApiKey, end: EndStatus): KeyChange {
  return end === 'expired' ? { key, became: 'expired' } : { key, became: 'revoked', reason: 'rotated' };
}
