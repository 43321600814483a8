import { randomUUID } from 'node:crypto';
import type { Client } from '../../domain/audit/audit-event.js';
import type { RotationOrder } from '../../domain/keys/key-state.js';
import { KeyString } from '../../domain/keys/key-string.js';
import type { ListedKey } from '../lists.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import type { CreatedApiKey } from './create-api-key.js';
import { requireFirstTime, openKey, changeKeys } from './change-keys.js';

/** Its fields hold what `ROTATION_FIELDS` says of them: the door that takes them has checked it. */
export interface RotateApiKeyCommand extends Omit<RotationOrder, 'id'>, Proof {
  readonly ownerId: string;
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
}

export interface RotatedApiKey extends CreatedApiKey {
  /** The key that stays valid until the new one has been used, and for the grace period after that. */
  readonly replaced: ListedKey;
}

export class RotateApiKey {
  constructor(
    private readonly confirmation: Confirmation,
    private readonly keyPrefix: string,
  ) {}

  /**
   * Throws `not_found` for any key but the owner's own, `api_key_not_active` for one that has ended, `rotation_pending` for one
   * of two of which one is replacing the other, and what confirming throws.
   */
  execute(command: RotateApiKeyCommand, client: Client): Promise<RotatedApiKey> {
    const { ownerId, keyId, idempotencyKey } = command;
    return this.confirmation.confirm({ ownerId, proof: command, client }, async (transaction) => {
      await requireFirstTime(transaction, idempotencyKey);
      const { now } = transaction;
      const { keys, listed: replaced } = await openKey(transaction, keyId);
      const keyString = KeyString.generate(this.keyPrefix);
      const actor = { actorId: ownerId, client };
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.rotate(keyId, { ...command, id: randomUUID() }, keyString, now),
      );
      return { key, replaced, fullKey: keyString.reveal(), now };
    });
  }
}
