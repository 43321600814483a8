import { randomUUID } from 'node:crypto';
import { accountActor, type Client } from '#domain/audit/audit-event.js';
import {
  defaultKeyDays,
  keyPolicy,
  requireGivable,
  requireNewKeys,
  type ServicePolicy,
  keyDaysProblem,
} from '#domain/keys/key-policy.js';
import type { KeyOrder, RotationOrder } from '#domain/keys/key-state.js';
import { KeyString } from '#domain/keys/key-string.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { newlyListed, type ReadKey, type ListedKey } from '../lists.js';
import { type Acting, requireActiveOwner } from '../managed-account.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { changeKeys, requireWithinLimit, requireFirstTime, openKey } from './change-keys.js';
import { requireFields } from '#domain/errors.js';
import { graceSecondsOf } from '#domain/keys/key-rules.js';

/** What a creation and a rotation need. */
interface MakingParts {
  readonly confirmation: Confirmation;
  readonly keyPrefix: string;
  /** How many keys an account may make in an hour; 0: no limit. */
  readonly changesPerHour: number;
  readonly service: ServicePolicy;
}

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
  constructor(private readonly making: MakingParts) {}

  /**
   * Throws `keys_not_allowed`, `invalid_fields` for what can't be given, `too_many_active_keys`, `too_many_changes`, and the errors of a
   * confirmation.
   */
  execute(command: CreateApiKeyCommand, client: Client): Promise<CreatedApiKey> {
    const { personId, idempotencyKey } = command;
    const { confirmation, keyPrefix, changesPerHour, service } = this.making;
    return confirmation.confirm({ acting: command, proof: command, client }, async (transaction, person) => {
      const { now, account } = transaction;
      requireActiveOwner(account);
      await requireFirstTime(transaction, personId, idempotencyKey);
      const { permissions } = account;
      const policy = keyPolicy(service, account);
      requireNewKeys(policy);
      const days = command.expiresInDays ?? defaultKeyDays(policy);
      const order = { ...command, createdBy: personId, expiresInDays: days, policy };
      requireGivable(order, permissions, policy);
      await requireWithinLimit(transaction, changesPerHour);
      const keys = new OwnerKeys(await transaction.openKeys());
      const keyString = KeyString.generate(keyPrefix);
      const actor = accountActor(personId, client);
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.issue({ ...order, id: randomUUID() }, keyString, now),
      );
      return { ...newlyListed({ key, maker: person, policy }, now), fullKey: keyString.reveal(), now };
    });
  }
}

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
  constructor(private readonly making: MakingParts) {}

  /**
   * Throws `keys_not_allowed`, `invalid_fields`, `not_found`, `api_key_not_active`, `rotation_pending`, `too_many_changes`, and the errors
   * of a confirmation.
   */
  async execute(command: RotateApiKeyCommand, client: Client): Promise<RotatedApiKey> {
    const { personId, keyId, idempotencyKey } = command;
    const graceSeconds = graceSecondsOf(command);
    const { confirmation, keyPrefix, changesPerHour, service } = this.making;
    return confirmation.confirm({ acting: command, proof: command, client }, async (transaction, person) => {
      const { now, account } = transaction;
      requireActiveOwner(account);
      await requireFirstTime(transaction, personId, idempotencyKey);
      const policy = keyPolicy(service, account);
      requireNewKeys(policy);
      requireFields({ expiresInDays: keyDaysProblem(command.expiresInDays, policy) });
      await requireWithinLimit(transaction, changesPerHour);
      const { keys, key: replaced } = await openKey(transaction, keyId);
      const keyString = KeyString.generate(keyPrefix);
      const actor = accountActor(personId, client);
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.rotate(keyId, { ...command, createdBy: personId, graceSeconds, policy, id: randomUUID() }, keyString, now),
      );
      const successor = { ...newlyListed({ key, maker: person, policy }, now), fullKey: keyString.reveal(), now };
      return { ...successor, replaced: await transaction.listed(replaced) };
    });
  }
}
