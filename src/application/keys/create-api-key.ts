import { randomUUID } from 'node:crypto';
import { accountActor, type Client } from '../../domain/audit/audit-event.js';
import { defaultKeyDays, keyPolicy, requireGivable, type ServicePolicy } from '../../domain/keys/key-policy.js';
import type { KeyOrder } from '../../domain/keys/key-state.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import { newlyListed, type ReadKey } from '../lists.js';
import { type Acting, requireActiveOwner } from '../managed-account.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { changeKeys, requireWithinLimit, requireFirstTime } from './change-keys.js';

/** The door has already checked the fields with `KEY_FIELDS`. */
export interface CreateApiKeyCommand extends Omit<KeyOrder, 'id' | 'expiresInDays' | 'createdBy'>, Acting, Proof {
  /** By default 90, or as many as the policy allows. */
  readonly expiresInDays: number | undefined;
  readonly idempotencyKey: string | undefined;
}

export interface CreatedApiKey extends ReadKey {
  readonly fullKey: string;
}

export class CreateApiKey {
  constructor(
    private readonly confirmation: Confirmation,
    private readonly keyPrefix: string,
    private readonly changesPerHour: number,
    private readonly service: ServicePolicy,
  ) {}

  /**
   * Throws `invalid_fields` for what can't be given, `too_many_active_keys`, `too_many_changes`, and the errors of a
   * confirmation.
   */
  execute(command: CreateApiKeyCommand, client: Client): Promise<CreatedApiKey> {
    const { personId, idempotencyKey } = command;
    return this.confirmation.confirm({ acting: command, proof: command, client }, async (transaction, person) => {
      const { now, account } = transaction;
      requireActiveOwner(account);
      await requireFirstTime(transaction, personId, idempotencyKey);
      const { permissions, limits } = account;
      const policy = keyPolicy(this.service, limits);
      const days = command.expiresInDays ?? defaultKeyDays(policy);
      const order = { ...command, createdBy: personId, expiresInDays: days, policy };
      requireGivable(order, permissions, policy);
      await requireWithinLimit(transaction, this.changesPerHour);
      const keys = new OwnerKeys(await transaction.openKeys());
      const keyString = KeyString.generate(this.keyPrefix);
      const actor = accountActor(personId, client);
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.issue({ ...order, id: randomUUID() }, keyString, now),
      );
      return { ...newlyListed({ key, maker: person, policy }, now), fullKey: keyString.reveal(), now };
    });
  }
}
