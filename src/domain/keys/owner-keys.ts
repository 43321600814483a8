import { LatchkeyError } from '../errors.js';
import { ApiKey, type KeyOrder } from './api-key.js';
import { MAX_ACTIVE_KEYS } from './key-rules.js';
import type { KeyString } from './key-string.js';
import type { RevocationReason } from './revocation-reason.js';

/** What became of a key, to be stored and put on record together. */
type KeyChange =
  | { readonly key: ApiKey; readonly became: 'created' | 'expired' }
  | { readonly key: ApiKey; readonly became: 'revoked'; readonly reason: RevocationReason };

/** The keys that an owner holds. An expiry that is due is a change as soon as a decision comes across it. */
export class OwnerKeys {
  private readonly keys: ApiKey[];
  private readonly noted: KeyChange[] = [];

  /** @param keys every open one, for a decision that counts them; to revoke one, that one is enough */
  constructor(keys: readonly ApiKey[]) {
    this.keys = [...keys];
  }

  /** In the order in which they came about. They must be saved, whatever the decision came to. */
  get changes(): readonly KeyChange[] {
    return this.noted;
  }

  countActive(now: Date): number {
    return this.keys.filter((key) => this.isActive(key, now)).length;
  }

  /** Answers a refusal instead of throwing it, so that the expiries noted on the way are committed all the same. */
  issue(order: KeyOrder, keyString: KeyString, now: Date): ApiKey | LatchkeyError {
    if (this.countActive(now) >= MAX_ACTIVE_KEYS) return tooManyActiveKeys();
    const key = ApiKey.issue(order, keyString, now);
    this.keys.push(key);
    this.noted.push({ key, became: 'created' });
    return key;
  }

  /**
   * Ends one of the keys, unless time has. Throws `not_found` for any other, and `api_key_not_active` for one that is known
   * to have ended before.
   */
  revoke(keyId: string, reason: RevocationReason, now: Date): 'revoked' | 'expired' {
    const key = this.keys.find(({ id }) => id === keyId);
    if (!key) throw noSuchKey();
    if (this.expireIfDue(key, now)) return 'expired';
    key.revoke(now);
    this.noted.push({ key, became: 'revoked', reason });
    return 'revoked';
  }

  /** Ends every active key, and answers those. */
  revokeAll(reason: RevocationReason, now: Date): ApiKey[] {
    const revoked: ApiKey[] = [];
    for (const key of this.keys) {
      if (!this.isActive(key, now)) continue;
      this.revoke(key.id, reason, now);
      revoked.push(key);
    }
    return revoked;
  }

  private isActive(key: ApiKey, now: Date): boolean {
    this.expireIfDue(key, now);
    return key.status(now) === 'active';
  }

  private expireIfDue(key: ApiKey, now: Date): boolean {
    const isDue = key.expire(now);
    if (isDue) this.noted.push({ key, became: 'expired' });
    return isDue;
  }
}

export function noSuchKey(): LatchkeyError {
  return new LatchkeyError('not_found', 'There is no such API key');
}

function tooManyActiveKeys(): LatchkeyError {
  return new LatchkeyError('too_many_active_keys', 'You have reached the maximum number of API keys');
}
