import { randomUUID } from 'node:crypto';
import type { Client } from '../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../domain/errors.js';
import { requireRotationFields } from '../../domain/keys/key-rules.js';
import type { RotationOrder } from '../../domain/keys/key-state.js';
import { KeyString } from '../../domain/keys/key-string.js';
import type { ListedKey } from '../listed-key.js';
import type { Proof } from '../sessions/confirmation.js';
import type { ConfirmedChange } from './confirmed-change.js';
import type { CreatedApiKey } from './create-api-key.js';
import { requireFirstTime } from './idempotency.js';
import { openKey } from './open-key.js';
import { saveKeys } from './save-keys.js';

export interface RotateApiKeyCommand extends Omit<RotationOrder, 'id'>, Proof {
  readonly ownerId: string;
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
}

export interface RotatedApiKey extends CreatedApiKey {
  /** The key that goes on until the new one has been used, and for the grace period after that. */
  readonly replaced: ListedKey;
}

export class RotateApiKey {
  constructor(
    private readonly confirmed: ConfirmedChange,
    private readonly keyPrefix: string,
  ) {}

  /**
   * Throws `not_found` for any key but the owner's own, `api_key_not_active` for one that has ended, and `rotation_pending`
   * for one of two of which one is replacing the other.
   */
  async execute(command: RotateApiKeyCommand, client: Client): Promise<RotatedApiKey> {
    requireRotationFields(command);
    const { ownerId, keyId, idempotencyKey } = command;
    return this.confirmed.execute<RotatedApiKey>(ownerId, command, client, async (transaction) => {
      await requireFirstTime(transaction, idempotencyKey);
      const { now } = transaction;
      const { keys, listed: replaced } = await openKey(transaction, keyId);
      const keyString = KeyString.generate(this.keyPrefix);
      const key = keys.rotate(keyId, { ...command, id: randomUUID() }, keyString, now);
      await saveKeys(transaction, keys, { actorId: ownerId, client }, { idempotencyKey });
      return key instanceof LatchkeyError ? key : { key, replaced, fullKey: keyString.reveal(), now };
    });
  }
}
