import type { ApiKey } from '#domain/keys/api-key.js';
import { LatchkeyError } from '#domain/errors.js';
import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import { noSuchKey, OwnerKeys } from '#domain/keys/owner-keys.js';
import type { RevocationReason } from '#domain/keys/key-change.js';
import type { Actor } from '#domain/audit/audit-event.js';
import type { LeakSite } from '#domain/audit/event-details.js';
import { accountNotFound, type AccountLocks, type KeyChanges } from '../account-ports.js';
import type { ApiKeys } from '../key-ports.js';
import type { ListedKey } from '../lists.js';
import { changeKeys, pausing, revoking } from './change-keys.js';
import { isProof } from '#domain/keys/key-restrictions.js';
import type { KeyProof } from '#domain/keys/key-string.js';
import { keyProofsIn } from '#domain/leaks/leak-report.js';

interface RevocationCause {
  readonly actor: Actor;
  readonly reason: RevocationReason;
  readonly site?: LeakSite | undefined;
}

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

interface LeakCircumstances extends Omit<RevocationCause, 'reason'> {
  /** Checked before each key. Once it returns true, the remaining keys are left. */
  readonly isOver?: () => boolean;
}

/**
 * Revokes keys of any owner, even a suspended or deleted one: for the platform, leaks and the command line. People do it
 * through ChangeKeysOfOwner and ChangeAsAdministrator.
 */
export class RevokeKeys {
  constructor(
    private readonly accounts: AccountLocks<KeyChanges>,
    private readonly keys: ApiKeys,
    private readonly importPrefixes: readonly string[],
  ) {}

  /** Throws `account_not_found`, `not_found` for another owner's key, and `api_key_not_active` for an ended key. */
  one(ownerId: string, keyId: string, { actor, reason, site }: RevocationCause): Promise<ApiKey> {
    const revoke = revoking(keyId, reason, { leaked: site });
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      return revoke(transaction, actor);
    });
  }

  /** For a key that was found by its string or its id. Returns the status before this call. */
  async found(key: ApiKey, cause: RevocationCause): Promise<ApiKeyStatus> {
    try {
      await this.one(key.ownerId, key.id, cause);
      return 'active';
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      if (error.code === 'api_key_not_active') return error.details.apiKeyStatus as ApiKeyStatus;
      // The owner's account was purged, and the key with it.
      if (error.code !== 'account_not_found' && error.code !== 'not_found') throw error;
      return key.snapshot().expiredAt ? 'expired' : 'revoked';
    }
  }

  /** Every active key, in one transaction, during which no key can be created. Returns the keys that it revoked. */
  all(ownerId: string, { actor, reason }: RevocationCause): Promise<ApiKey[]> {
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      const keys = new OwnerKeys(await transaction.openKeys());
      return changeKeys(transaction, { keys, actor }, () => keys.revokeAll(reason, transaction.now));
    });
  }

  /**
   * A key of any owner. May be repeated: an ended key is no error. Returns how many keys it revoked. Throws `not_found` when
   * no such key was ever created.
   */
  async byId(keyId: string, cause: RevocationCause): Promise<number> {
    const key = await this.keys.find(keyId);
    if (!key) throw noSuchKey();
    return (await this.found(key, cause)) === 'active' ? 1 : 0;
  }

  /** Revokes every key whose full string is somewhere in the text. A key that had already ended is no error. */
  async leakedIn(text: string, administrator: Actor): Promise<LeakedKey[]> {
    // A leak that the key's owner did not report has a site, even an unknown one.
    const circumstances = { actor: administrator, site: { source: null, url: null } };
    const { leaked, errors } = await this.end(keyProofsIn(text, this.importPrefixes), circumstances);
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
          leaked.push({ key, was: await this.found(key, { actor, reason: 'leaked', site }) });
        } catch (error) {
          failed.push(proof);
          errors.push(error);
        }
      }
    }
    return { leaked, unproven, left: [...waiting, ...failed], errors };
  }
}

/** For the command line, which pauses as an administrator. */
export class PauseKey {
  constructor(private readonly accounts: AccountLocks<KeyChanges>) {}

  /** Throws `invalid_fields`, `account_not_found`, `not_found` and `api_key_not_active`. @param minutes null ends the pause */
  async execute(ownerId: string, keyId: string, minutes: number | null, actor: Actor): Promise<ListedKey> {
    const pause = pausing(keyId, 'administrator', minutes);
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      return transaction.listed(await pause(transaction, actor));
    });
  }
}
