import type { ApiKey } from '../../domain/keys/api-key.js';
import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import { digestMatches } from '../../domain/keys/key-string.js';
import type { Actor, Administrator } from '../../domain/audit/audit-event.js';
import { keyProofsIn, type KeyProof } from '../../domain/leaks/key-proof.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import type { ApiKeys } from '../ports.js';
import type { RevokeAsAdmin } from './revoke-as-admin.js';

export interface LeakedKey {
  readonly key: ApiKey;
  /** How it stood until now: only an active one was ended by this call. */
  readonly was: ApiKeyStatus;
}

/** What proved no key: a string that nobody made, or one with the public part of a key and not its secret. */
export interface UnprovenKey {
  readonly publicPart: string;
  readonly key: ApiKey | undefined;
}

export class RevokeLeakedKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly revoke: RevokeAsAdmin,
  ) {}

  /** Ends every key that the text proves, wherever it stands there; one that had ended before is no error. */
  async execute(text: string, administrator: Administrator): Promise<LeakedKey[]> {
    return (await this.end(keyProofsIn(text), administrator)).leaked;
  }

  /** The same for what is left of such a text. @param site where it stood, for the record */
  async end(proofs: readonly KeyProof[], actor: Actor, site?: LeakSite) {
    const found = await this.keys.findByPublicParts(proofs.map(({ publicPart }) => publicPart));
    const known = new Map(found.map((key) => [key.snapshot().publicPart, key]));
    const leaked: LeakedKey[] = [];
    const unproven: UnprovenKey[] = [];
    for (const { publicPart, digest } of proofs) {
      const key = known.get(publicPart);
      if (!digestMatches(digest, key?.digest) || !key) unproven.push({ publicPart, key });
      else leaked.push({ key, was: await this.revoke.found(key, { actor, reason: 'leaked', site }) });
    }
    return { leaked, unproven };
  }
}
