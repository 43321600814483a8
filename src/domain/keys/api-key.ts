import type { AccessLevel } from './access.js';
import { LatchkeyError } from '../errors.js';
import { normalizeKeyName, requireKeyFields } from './key-rules.js';
import { type ApiKeyStatus, isExpiryDue, type KeyTimes, statusAt } from './key-status.js';
import type { KeyString } from './key-string.js';
import { DAY_MS } from '../time.js';

interface ApiKeyState extends KeyTimes {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly access: AccessLevel;
  readonly keyPrefix: string;
  readonly publicPart: string;
  /** SHA-256 of the key string. */
  readonly digest: Buffer;
  readonly createdAt: Date;
}

export interface KeyOrder {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly access: AccessLevel;
  readonly expiresInDays: number;
}

export class ApiKey {
  private constructor(private state: ApiKeyState) {}

  static issue(order: KeyOrder, keyString: KeyString, now: Date): ApiKey {
    requireKeyFields(order);
    return new ApiKey({
      id: order.id,
      ownerId: order.ownerId,
      name: normalizeKeyName(order.name),
      access: order.access,
      keyPrefix: keyString.prefix,
      publicPart: keyString.publicPart,
      digest: keyString.digest(),
      createdAt: now,
      expiresAt: new Date(now.getTime() + order.expiresInDays * DAY_MS),
      revokedAt: null,
      expiredAt: null,
    });
  }

  static restore(state: ApiKeyState): ApiKey {
    return new ApiKey(state);
  }

  get id(): string {
    return this.state.id;
  }
  get ownerId(): string {
    return this.state.ownerId;
  }
  get digest(): Buffer {
    return this.state.digest;
  }

  /** Everything that is stored of the key. */
  snapshot(): ApiKeyState {
    return this.state;
  }

  /** What no transition changes, as the record keeps it. */
  fixedFacts() {
    const { access, publicPart, digest, expiresAt } = this.state;
    return { access, publicPart, digest: digest.toString('hex'), expiresAt: expiresAt.toISOString() };
  }

  status(now: Date): ApiKeyStatus {
    return statusAt(now, this.state);
  }

  /** Irreversible. */
  revoke(now: Date): void {
    const status = this.status(now);
    if (status !== 'active') throw keyNotActive(status);
    this.state = { ...this.state, revokedAt: now };
  }

  /** Records an expiry that `now` shows for the first time, and says whether it did. It must then be saved. */
  expire(now: Date): boolean {
    if (!isExpiryDue(now, this.state)) return false;
    this.state = { ...this.state, expiredAt: now };
    return true;
  }
}

export function keyNotActive(status: ApiKeyStatus): LatchkeyError {
  return new LatchkeyError('api_key_not_active', `This API key is already ${status}`, { apiKeyStatus: status });
}
