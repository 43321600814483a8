import { randomUUID } from 'node:crypto';
import type { Client } from '../../domain/audit/audit-event.js';
import type { ApiKey } from '../../domain/keys/api-key.js';
import { requireGivable } from '../../domain/keys/key-restrictions.js';
import type { KeyOrder } from '../../domain/keys/key-state.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { changeKeys, requireWithinLimit, requireFirstTime } from './change-keys.js';

/** The door has already checked the fields with `KEY_FIELDS`. */
export interface CreateApiKeyCommand extends Omit<KeyOrder, 'id'>, Proof {
  readonly idempotencyKey: string | undefined;
}

export interface CreatedApiKey {
  readonly key: ApiKey;
  readonly fullKey: string;
  readonly now: Date;
}

export class CreateApiKey {
  constructor(
    private readonly confirmation: Confirmation,
    private readonly keyPrefix: string,
    private readonly changesPerHour: number,
  ) {}

  /**
   * Throws `invalid_fields` for a permission that can't be given, `too_many_active_keys`, `too_many_changes`, and the
   * errors of a confirmation.
   */
  execute(command: CreateApiKeyCommand, client: Client): Promise<CreatedApiKey> {
    const { ownerId, idempotencyKey } = command;
    return this.confirmation.confirm({ ownerId, proof: command, client }, async (transaction) => {
      await requireFirstTime(transaction, idempotencyKey);
      requireGivable(command, transaction.account!.permissions);
      await requireWithinLimit(transaction, this.changesPerHour);
      const { now } = transaction;
      const keys = new OwnerKeys(await transaction.openKeys());
      const keyString = KeyString.generate(this.keyPrefix);
      const actor = { actorId: ownerId, client };
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.issue({ ...command, id: randomUUID() }, keyString, now),
      );
      return { key, fullKey: keyString.reveal(), now };
    });
  }
}
