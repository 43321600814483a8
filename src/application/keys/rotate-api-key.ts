import { randomUUID } from 'node:crypto';
import { accountActor, type Client } from '../../domain/audit/audit-event.js';
import { requireFields } from '../../domain/errors.js';
import { keyDaysProblem, keyPolicy, type ServicePolicy } from '../../domain/keys/key-policy.js';
import { graceSecondsOf } from '../../domain/keys/key-rules.js';
import type { RotationOrder } from '../../domain/keys/key-state.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { type ListedKey, newlyListed } from '../lists.js';
import { type Acting, requireActiveOwner } from '../managed-account.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import type { CreatedApiKey } from './create-api-key.js';
import { changeKeys, openKey, requireWithinLimit, requireFirstTime } from './change-keys.js';

/** The door has already checked the fields with `ROTATION_FIELDS`. */
export interface RotateApiKeyCommand
  extends Omit<RotationOrder, 'id' | 'createdBy' | 'graceSeconds' | 'policy'>, Acting, Proof {
  /** By default a day, or 0 for a leaked key. */
  readonly graceSeconds: number | undefined;
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
}

export interface RotatedApiKey extends CreatedApiKey {
  /** The old key. Unless it leaked, it keeps working until the successor has been used, and then for the grace period. */
  readonly replaced: ListedKey;
}

export class RotateApiKey {
  constructor(
    private readonly confirmation: Confirmation,
    private readonly keyPrefix: string,
    private readonly changesPerHour: number,
    private readonly service: ServicePolicy,
  ) {}

  /**
   * Throws `invalid_fields`, `not_found`, `api_key_not_active`, `rotation_pending`, `too_many_changes`, and the errors
   * of a confirmation.
   */
  async execute(command: RotateApiKeyCommand, client: Client): Promise<RotatedApiKey> {
    const { personId, keyId, idempotencyKey } = command;
    const graceSeconds = graceSecondsOf(command);
    return this.confirmation.confirm({ acting: command, proof: command, client }, async (transaction, person) => {
      const { now, account } = transaction;
      requireActiveOwner(account);
      await requireFirstTime(transaction, personId, idempotencyKey);
      const policy = keyPolicy(this.service, account.limits);
      requireFields({ expiresInDays: keyDaysProblem(command.expiresInDays, policy) });
      await requireWithinLimit(transaction, this.changesPerHour);
      const { keys, key: replaced } = await openKey(transaction, keyId);
      const keyString = KeyString.generate(this.keyPrefix);
      const actor = accountActor(personId, client);
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.rotate(keyId, { ...command, createdBy: personId, graceSeconds, policy, id: randomUUID() }, keyString, now),
      );
      const successor = { ...newlyListed({ key, maker: person, policy }, now), fullKey: keyString.reveal(), now };
      return { ...successor, replaced: await transaction.listed(replaced) };
    });
  }
}
