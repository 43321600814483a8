import { LatchkeyError } from '../errors.js';
import { ApiKey, keyNotActive } from './api-key.js';
import { endedByClock, type KeyChange } from './key-change.js';
import { MAX_ACTIVE_KEYS } from './key-rules.js';
import type { KeyOrder, RotationOrder } from './key-state.js';
import type { EndStatus } from './key-status.js';
import type { KeyString } from './key-string.js';
import type { RevocationReason } from './revocation-reason.js';

/** Who ends the successor of a key so that the key itself goes on. Any other end leaves the key the end that it was given. */
const TAKES_ROTATION_BACK: readonly RevocationReason[] = ['owner', 'administrator'];

/** The keys that an owner holds. An end that is due is a change as soon as a decision comes across it. */
export class OwnerKeys {
  private readonly keys: ApiKey[];
  private readonly noted: KeyChange[] = [];

  /** @param keys every open one */
  constructor(keys: readonly ApiKey[]) {
    this.keys = [...keys];
  }

  /** In the order in which they came about. They must be saved, whatever the decision came to. */
  get changes(): readonly KeyChange[] {
    return this.noted;
  }

  /** A key and the one that it is to replace count as one. */
  countActive(now: Date): number {
    const active = this.active(now);
    return active.filter(({ replaces }) => !active.some(({ id }) => id === replaces)).length;
  }

  /** Answers a refusal instead of throwing it, so that the ends noted on the way are committed all the same. */
  issue(order: KeyOrder, keyString: KeyString, now: Date): ApiKey | LatchkeyError {
    if (this.countActive(now) >= MAX_ACTIVE_KEYS) return tooManyActiveKeys();
    const key = ApiKey.issue(order, keyString, now);
    this.add(key);
    return key;
  }

  /**
   * Issues a key that is to replace one of these, also to an owner who holds as many as one may. Throws `not_found` for any
   * other, and otherwise answers a refusal instead of throwing it.
   */
  rotate(keyId: string, order: RotationOrder, keyString: KeyString, now: Date): ApiKey | LatchkeyError {
    const key = this.require(keyId);
    const end = this.endIfDue(key, now);
    if (end) return keyNotActive(end);
    if (this.active(now).some(({ id, replaces }) => id === key.replaces || replaces === key.id))
      return rotationPending();
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

  /**
   * Ends one of the keys. Throws `not_found` for any other, and answers `api_key_not_active` for one that had ended, be it
   * by the clock.
   */
  revoke(keyId: string, reason: RevocationReason, now: Date): LatchkeyError | undefined {
    const key = this.require(keyId);
    this.endIfDue(key, now);
    const status = key.status(now);
    if (status !== 'active') return keyNotActive(status);
    const replaced = TAKES_ROTATION_BACK.includes(reason) ? this.predecessor(key, now) : undefined;
    this.end(key, reason, now);
    if (replaced) {
      replaced.goOn(key, now);
      this.noted.push({ key: replaced, became: 'kept' });
    }
    return undefined;
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

  private require(keyId: string): ApiKey {
    const key = this.keys.find(({ id }) => id === keyId);
    if (!key) throw noSuchKey();
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

  private endIfDue(key: ApiKey, now: Date): EndStatus | undefined {
    const end = key.endIfDue(now);
    if (end) this.noted.push(endedByClock(key, end));
    return end;
  }
}

export function noSuchKey(): LatchkeyError {
  return new LatchkeyError('not_found', 'There is no such API key');
}

function tooManyActiveKeys(): LatchkeyError {
  return new LatchkeyError('too_many_active_keys', 'You have reached the maximum number of API keys');
}

function rotationPending(): LatchkeyError {
  return new LatchkeyError(
    'rotation_pending',
    'This API key is being replaced already: end the old or the new one of the two first',
  );
}
