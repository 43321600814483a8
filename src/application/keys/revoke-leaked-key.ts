import type { ApiKey } from '../../domain/keys/api-key.js';
import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import { digestMatches, inspectKey } from '../../domain/keys/key-string.js';
import type { Administrator } from '../../domain/audit/audit-event.js';
import type { ApiKeys } from '../ports.js';
import type { RevokeAsAdmin } from './revoke-as-admin.js';

export interface LeakedKey {
  readonly key: ApiKey;
  /** How it stood until now: only an active one was ended by this call. */
  readonly was: ApiKeyStatus;
}

export class RevokeLeakedKey {
  constructor(
    private readonly keys: ApiKeys,
    private readonly revoke: RevokeAsAdmin,
  ) {}

  /** Ends whichever key the text proves; one that had ended before is no error. Undefined when it proves none. */
  async execute(text: string, administrator: Administrator): Promise<LeakedKey | undefined> {
    const keyString = inspectKey(text)?.keyString;
    if (!keyString) return undefined;
    const key = await this.keys.findByPublicPart(keyString.publicPart);
    if (!digestMatches(keyString.digest(), key?.digest) || !key) return undefined;
    return { key, was: await this.revoke.found(key, administrator, 'leaked') };
  }
}
