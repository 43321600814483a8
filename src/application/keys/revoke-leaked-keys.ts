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
  /** The status before this call: only an active key was revoked. */
  readonly was: ApiKeyStatus;
}

/** Proves no key: the string was made up, or it has the public part of a key but not its secret. */
export interface UnprovenKey {
  readonly publicPart: string;
  readonly key: ApiKey | undefined;
}

export class RevokeLeakedKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly revoke: RevokeAsAdmin,
  ) {}

  /** Revokes every key whose full string is somewhere in the text. A key that had already ended is no error. */
  async execute(text: string, administrator: Administrator): Promise<LeakedKey[]> {
    return (await this.end(keyProofsIn(text), administrator)).leaked;
  }

  /** @param site where the text was found, for the audit trail */
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
