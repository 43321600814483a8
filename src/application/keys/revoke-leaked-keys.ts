import type { ApiKey } from '../../domain/keys/api-key.js';
import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import { digestMatches, keyStringsIn } from '../../domain/keys/key-string.js';
import type { Administrator } from '../../domain/audit/audit-event.js';
import type { ApiKeys } from '../ports.js';
import type { RevokeAsAdmin } from './revoke-as-admin.js';

export interface LeakedKey {
  readonly key: ApiKey;
  /** How it stood until now: only an active one was ended by this call. */
  readonly was: ApiKeyStatus;
}

export class RevokeLeakedKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly revoke: RevokeAsAdmin,
  ) {}

  /** Ends every key that the text proves, wherever it stands there; one that had ended before is no error. */
  async execute(text: string, administrator: Administrator): Promise<LeakedKey[]> {
    const leaked: LeakedKey[] = [];
    for (const keyString of keyStringsIn(text)) {
      const key = await this.keys.findByPublicPart(keyString.publicPart);
      if (!digestMatches(keyString.digest(), key?.digest) || !key) continue;
      leaked.push({ key, was: await this.revoke.found(key, administrator, 'leaked') });
    }
    return leaked;
  }
}
