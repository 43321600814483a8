import { noSuchKey } from '../../domain/keys/owner-keys.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import type { ApiKeys } from '../ports.js';
import type { RevokeAsAdmin } from './revoke-as-admin.js';

/** For the platform. A call may be repeated: an ended key is no error. Returns how many keys it revoked. */
export class RevokeKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly revoke: RevokeAsAdmin,
  ) {}

  /** Throws `not_found` when no such key was ever created. */
  async one(keyId: string, platform: Actor): Promise<number> {
    const key = await this.keys.find(keyId);
    if (!key) throw noSuchKey();
    return (await this.revoke.found(key, { actor: platform, reason: 'platform' })) === 'active' ? 1 : 0;
  }

  /** Throws `account_not_found`. */
  async all(ownerId: string, platform: Actor): Promise<number> {
    return (await this.revoke.all(ownerId, { actor: platform, reason: 'platform' })).length;
  }
}
