import type { ApiKey } from '../../domain/keys/api-key.js';
import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import { isProof } from '../../domain/keys/key-restrictions.js';
import type { Actor, Administrator } from '../../domain/audit/audit-event.js';
import { keyProofsIn, type KeyProof } from '../../domain/leaks/key-proof.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import type { ApiKeys } from '../ports.js';
import type { RevokeForOwner } from './revoke-for-owner.js';

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

interface LeakCircumstances {
  readonly actor: Actor;
  /** Where the keys were found, for the audit trail. */
  readonly site?: LeakSite;
  /** Checked before each key. Once it returns true, the remaining keys are left. */
  readonly isOver?: () => boolean;
}

export class RevokeLeakedKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly revoke: RevokeForOwner,
    private readonly importPrefixes: readonly string[],
  ) {}

  /** Revokes every key whose full string is somewhere in the text. A key that had already ended is no error. */
  async execute(text: string, administrator: Administrator): Promise<LeakedKey[]> {
    const { leaked, errors } = await this.end(keyProofsIn(text, this.importPrefixes), { actor: administrator });
    if (errors.length > 0) throw errors[0];
    return leaked;
  }

  /**
   * A key that can't be ended now does not keep the others from being ended.
   * @returns also the keys that are `left` (first those that were not tried, then those that failed) and the errors
   */
  async end(proofs: readonly KeyProof[], { actor, site, isOver = () => false }: LeakCircumstances) {
    const found = await this.keys.findByPublicParts(proofs.map(({ publicPart }) => publicPart));
    const known = new Map(found.map((key) => [key.snapshot().publicPart, key]));
    const leaked: LeakedKey[] = [];
    const unproven: UnprovenKey[] = [];
    const [waiting, failed, errors] = [[...proofs], [] as KeyProof[], [] as unknown[]];
    while (waiting.length > 0 && !isOver()) {
      const proof = waiting.shift()!;
      const key = known.get(proof.publicPart);
      if (!isProof(proof.digest, key?.snapshot()) || !key) unproven.push({ ...proof, key });
      else {
        try {
          // oxlint-disable-next-line no-await-in-loop
          leaked.push({ key, was: await this.revoke.found(key, { actor, reason: 'leaked', site }) });
        } catch (error) {
          failed.push(proof);
          errors.push(error);
        }
      }
    }
    return { leaked, unproven, left: [...waiting, ...failed], errors };
  }
}
