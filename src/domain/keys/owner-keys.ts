import { Refusal } from '../errors.js';
import { ApiKey, keyNotActive } from './api-key.js';
import { endedByClock, type KeyChange } from './key-change.js';
import { MAX_ACTIVE_KEYS } from './key-rules.js';
import type { KeyOrder, RotationOrder } from './key-state.js';
import type { KeyString } from './key-string.js';
import type { RevocationReason } from './revocation-reason.js';

/** Who cancels a rotation by revoking the successor. Any other end of a successor leaves the key before it the end that it was given. */
const CANCELS_ROTATION: readonly RevocationReason[] = ['owner', 'administrator'];

/**
 * The keys that an owner holds. An end by the clock that a decision finds is a change too. It must be saved even where the
 * decision is a Refusal, which every method may throw.
 */
export class OwnerKeys {
  private readonly keys: ApiKey[];
  private readonly noted: KeyChange[] = [];

  /** @param keys every open one */
  constructor(keys: readonly ApiKey[]) {
    this.keys = [...keys];
  }

  /** In the order in which they came about. */
  get changes(): readonly KeyChange[] {
    return this.noted;
  }

  /** A key and the one that it is to replace count as one. */
  countActive(now: Date): number {
    const active = this.active(now);
    return active.filter(({ replaces }) => !active.some(({ id }) => id === replaces)).length;
  }

  /** Throws `too_many_active_keys`. */
  issue(order: KeyOrder, keyString: KeyString, now: Date): ApiKey {
    if (this.countActive(now) >= MAX_ACTIVE_KEYS) throw tooManyActiveKeys();
    const key = ApiKey.issue(order, keyString, now);
    this.add(key);
    return key;
  }

  /**
   * Issues a key that is to replace one of these, also to an owner who holds as many as one may. Throws `not_found` for any
   * other, `api_key_not_active` and `rotation_pending`.
   */
  rotate(keyId: string, order: RotationOrder, keyString: KeyString, now: Date): ApiKey {
    const key = this.requireActive(keyId, now);
    if (this.active(now).some(({ id, replaces }) => id === key.replaces || replaces === key.id))
      throw rotationPending();
    const successor = key.replaceBy(order, keyString, now);
    this.noted.push({ key, became: 'rotated' });
    this.add(successor);
    return successor;
  }

  /** Notes the first use of a key, and what it means for the one that it replaces. Says whether the key is active at all. */
  firstUsed(keyId: string, now: Date): boolean {
    const key = this.active(now).find(({ id }) => id === keyId);
    const graceSeconds = key?.firstUsed(now);
    if (!key || graceSeconds === undefined) return key !== undefined;
    this.noted.push({ key, became: 'used' });
    const replaced = this.predecessor(key, now);
    if (replaced) this.endSoon(replaced, graceSeconds, now);
    return true;
  }

  /** Ends one of the keys. Throws `not_found` for any other, and `api_key_not_active` for one that had ended, also by the clock. */
  revoke(keyId: string, reason: RevocationReason, now: Date): void {
    const key = this.requireActive(keyId, now);
    const replaced = CANCELS_ROTATION.includes(reason) ? this.predecessor(key, now) : undefined;
    this.end(key, reason, now);
    if (replaced) {
      replaced.cancelRotation(key, now);
      this.noted.push({ key: replaced, became: 'kept' });
    }
  }

  /** Ends every active key, and answers those. */
  revokeAll(reason: RevocationReason, now: Date): ApiKey[] {
    const active = this.active(now);
    for (const key of active) this.end(key, reason, now);
    return active;
  }

  private active(now: Date): ApiKey[] {
    for (const key of this.keys) this.endIfDue(key, now);
    return this.keys.filter((key) => key.status(now) === 'active');
  }

  private predecessor(key: ApiKey, now: Date): ApiKey | undefined {
    return this.active(now).find(({ id }) => id === key.replaces);
  }

  private requireActive(keyId: string, now: Date): ApiKey {
    const key = this.keys.find(({ id }) => id === keyId);
    if (!key) throw noSuchKey();
    this.endIfDue(key, now);
    const status = key.status(now);
    if (status !== 'active') throw keyNotActive(status);
    return key;
  }

  private add(key: ApiKey): void {
    this.keys.push(key);
    this.noted.push({ key, became: 'created' });
  }

  private end(key: ApiKey, reason: RevocationReason, now: Date): void {
    key.revoke(now);
    this.noted.push({ key, became: 'revoked', reason });
  }

  private endSoon(key: ApiKey, graceSeconds: number, now: Date): void {
    if (graceSeconds === 0) return this.end(key, 'rotated', now);
    key.endAfter(graceSeconds, now);
    this.noted.push({ key, became: 'ending' });
  }

  private endIfDue(key: ApiKey, now: Date): void {
    const end = key.endIfDue(now);
    if (end) this.noted.push(endedByClock(key, end));
  }
}

export function noSuchKey(): Refusal {
  return new Refusal('not_found', 'There is no such API key');
}

function tooManyActiveKeys(): Refusal {
  return new Refusal('too_many_active_keys', 'You have reached the maximum number of API keys');
}

function rotationPending(): Refusal {
  return new Refusal(
    'rotation_pending',
    'This API key is being replaced already: end the old or the new one of the two first',
  );
}
