import { Refusal } from '../errors.js';
import { ApiKey, keyNotActive } from './api-key.js';
import { cancelsRotation, changeAtEnd, type KeyChange, type RevocationReason } from './key-change.js';
import type { PausedBy } from './key-status.js';
import type { KeyPolicy } from './key-policy.js';
import type { KeyOrder, Renaming, RotationOrder } from './key-state.js';
import type { KeyString } from './key-string.js';

/** A due end that a method finds is a change, which must be saved even when the method throws a Refusal. */
export class OwnerKeys {
  private readonly keys: ApiKey[];
  private readonly noted: KeyChange[] = [];

  /** @param keys all open keys of the owner, and others that are to be renamed */
  constructor(keys: readonly ApiKey[]) {
    this.keys = [...keys];
  }

  get changes(): readonly KeyChange[] {
    return this.noted;
  }

  /** An old key and its successor count as one. */
  countActive(now: Date): number {
    const active = this.active(now);
    const ids = new Set<string | null>(active.map(({ id }) => id));
    return active.filter(({ replaces }) => !ids.has(replaces)).length;
  }

  /** What may be given is checked before: see `requireGivable`. Throws `too_many_active_keys`. */
  issue({ policy, ...order }: KeyOrder & { readonly policy: KeyPolicy }, keyString: KeyString, now: Date): ApiKey {
    if (this.countActive(now) >= policy.maxActiveKeys) {
      throw new Refusal('too_many_active_keys', 'You have reached the maximum number of API keys');
    }
    const key = ApiKey.issue(order, keyString, now);
    this.add(key);
    return key;
  }

  /** Also above the maximum. Throws `not_found`, `api_key_not_active`, `api_key_paused` and `rotation_pending`. */
  rotate(keyId: string, order: RotationOrder, keyString: KeyString, now: Date): ApiKey {
    const key = this.requireActive(keyId, now);
    if (key.pausedUntil(now) && !order.leaked) {
      throw new Refusal('api_key_paused', 'This API key is paused: resume it before you rotate it');
    }
    if (this.active(now).some(({ id, replaces }) => id === key.replaces || replaces === key.id)) {
      throw new Refusal('rotation_pending', 'This API key is part of a rotation: revoke its old or its new key first');
    }
    const successor = key.replaceBy(order, keyString, now);
    this.noted.push({ key, became: 'rotated' });
    this.add(successor);
    if (order.leaked) this.end(key, 'leaked', now);
    return successor;
  }

  /** The number of keys may then be above the maximum. */
  addImported(key: ApiKey): void {
    this.add(key);
  }

  /** Records the first use of a successor and what follows for the old key. Returns whether the used key is active. */
  firstUsed(keyId: string, now: Date): boolean {
    const key = this.active(now).find(({ id }) => id === keyId);
    const graceSeconds = key?.firstUsed(now);
    if (!key || graceSeconds === undefined) return key !== undefined;
    const replaced = this.predecessor(key, now);
    this.noted.push({ key, became: 'used', replaced });
    if (!replaced) return true;
    replaced.endAfter(graceSeconds, now);
    const isOver = graceSeconds === 0;
    this.noted.push(
      isOver ? { key: replaced, became: 'revoked', reason: 'rotated' } : { key: replaced, became: 'ending' },
    );
    return true;
  }

  /** Throws `not_found`. */
  rename(keyId: string, renaming: Renaming, now: Date): void {
    const key = this.keys.find(({ id }) => id === keyId);
    if (!key) throw noSuchKey();
    this.endIfDue(key, now);
    const previous = key.rename(renaming);
    if (previous) this.noted.push({ key, became: 'renamed', previous });
  }

  /** Throws `not_found`, and `api_key_not_active` for a key that has ended, also by the clock. */
  revoke(keyId: string, reason: RevocationReason, now: Date): void {
    const key = this.requireActive(keyId, now);
    const replaced = cancelsRotation(reason) ? this.predecessor(key, now) : undefined;
    this.end(key, reason, now);
    if (replaced) {
      replaced.cancelRotation(key, now);
      this.noted.push({ key: replaced, became: 'kept' });
    }
  }

  /** Throws `not_found`, and `api_key_not_active` for a key that has ended. */
  pause(keyId: string, by: PausedBy, until: Date, now: Date): void {
    const key = this.requireActive(keyId, now);
    if (key.pause(by, until, now)) this.noted.push({ key, became: 'paused', by });
  }

  /** The same. A key that they have not paused stays as it is. */
  resume(keyId: string, by: PausedBy, now: Date): void {
    const key = this.requireActive(keyId, now);
    if (key.resume(by, now)) this.noted.push({ key, became: 'resumed', by });
  }

  /** Returns the keys that it revoked. */
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

  private endIfDue(key: ApiKey, now: Date): void {
    const end = key.endIfDue(now);
    if (end) this.noted.push(changeAtEnd(key, end));
  }
}

export function noSuchKey(): Refusal {
  return new Refusal('not_found', 'There is no such API key');
}
