import { randomUUID } from 'node:crypto';
import { accountActor, type Actor, type Client, type Person } from '#domain/audit/audit-event.js';
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
import { type Acting, type ManagedTransaction, requireActiveOwner } from '../managed-account.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { changeKeys, requireWithinLimit, requireFirstTime, openKey } from './change-keys.js';
import { requireFields } from '#domain/errors.js';
import { graceSecondsOf } from '#domain/keys/key-rules.js';

/** Who makes a key: as lists show them, and as the audit trail names them. */
export interface KeyMaker {
  readonly maker: Person;
  readonly actor: Actor;
}

type Making<T> = (transaction: ManagedTransaction, maker: KeyMaker) => Promise<T>;

/** Checks who makes a key, and runs `work` in the transaction that locks the owner of the key. */
export type BeginMaking<By> = <T>(by: By, client: Client, work: Making<T>) => Promise<T>;

/** For a person, who confirms it. */
export function byPerson(confirmation: Confirmation): BeginMaking<Acting & Proof> {
  return (by, client, work) =>
    confirmation.confirm({ acting: by, proof: by, client }, (transaction, person) =>
      work(transaction, { maker: person, actor: accountActor(person.id, client) }),
    );
}

/** What a creation and a rotation need. */
export interface MakingParts<By> {
  readonly begin: BeginMaking<By>;
  readonly keyPrefix: string;
  /** How many keys an account may make in an hour; 0: no limit. */
  readonly changesPerHour: number;
  readonly service: ServicePolicy;
}

/** The door has already checked the fields with `KEY_FIELDS`. */
interface CreationOrder extends Omit<KeyOrder, 'id' | 'expiresInDays' | 'createdBy'> {
  /** By default 90, or as many as the policy allows. */
  readonly expiresInDays: number | undefined;
  readonly idempotencyKey: string | undefined;
}

export type CreateApiKeyCommand = CreationOrder & Acting & Proof;

export interface CreatedApiKey extends ReadKey {
  readonly fullKey: string;
}

export class CreateApiKey<By = Acting & Proof> {
  constructor(private readonly making: MakingParts<By>) {}

  /**
   * Throws `keys_not_allowed`, `invalid_fields` for what can't be given, `too_many_active_keys`, `too_many_changes`, and
   * the errors of `begin`.
   */
  execute(command: CreationOrder & By, client: Client): Promise<CreatedApiKey> {
    const { idempotencyKey } = command;
    const { begin, keyPrefix, changesPerHour, service } = this.making;
    return begin(command, client, async (transaction, { maker, actor }) => {
      const { now, account } = transaction;
      requireActiveOwner(account);
      await requireFirstTime(transaction, maker.id, idempotencyKey);
      const { permissions } = account;
      const policy = keyPolicy(service, account);
      requireNewKeys(policy);
      const days = command.expiresInDays ?? defaultKeyDays(policy);
      const order = { ...command, createdBy: maker.id, expiresInDays: days, policy };
      requireGivable(order, permissions, policy);
      await requireWithinLimit(transaction, changesPerHour);
      const keys = new OwnerKeys(await transaction.openKeys());
      const keyString = KeyString.generate(keyPrefix);
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.issue({ ...order, id: randomUUID() }, keyString, now),
      );
      return { ...newlyListed({ key, maker, policy }, now), fullKey: keyString.reveal(), now };
    });
  }
}

/** The door has already checked the fields with `ROTATION_FIELDS`. */
interface RotatingOrder extends Omit<
  RotationOrder,
  'id' | 'createdBy' | 'graceSeconds' | 'policy' | 'ownerPermissions'
> {
  /** By default a day, or 0 for a leaked key. */
  readonly graceSeconds: number | undefined;
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
}

export type RotateApiKeyCommand = RotatingOrder & Acting & Proof;

export interface RotatedApiKey extends CreatedApiKey {
  /** The old key. Unless it leaked, it keeps working until the successor has been used, and then for the grace period. */
  readonly replaced: ListedKey;
}

export class RotateApiKey<By = Acting & Proof> {
  constructor(private readonly making: MakingParts<By>) {}

  /**
   * Throws `keys_not_allowed`, `invalid_fields`, `not_found`, `api_key_not_active`, `rotation_pending`, `too_many_changes`,
   * and the errors of `begin`.
   */
  async execute(command: RotatingOrder & By, client: Client): Promise<RotatedApiKey> {
    const { keyId, idempotencyKey } = command;
    const graceSeconds = graceSecondsOf(command);
    const { begin, keyPrefix, changesPerHour, service } = this.making;
    return begin(command, client, async (transaction, { maker, actor }) => {
      const { now, account } = transaction;
      requireActiveOwner(account);
      await requireFirstTime(transaction, maker.id, idempotencyKey);
      const policy = keyPolicy(service, account);
      requireNewKeys(policy);
      requireFields({ expiresInDays: keyDaysProblem(command.expiresInDays, policy) });
      await requireWithinLimit(transaction, changesPerHour);
      const { keys, key: replaced } = await openKey(transaction, keyId);
      const keyString = KeyString.generate(keyPrefix);
      const from = { createdBy: maker.id, graceSeconds, policy, ownerPermissions: account.permissions };
      const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
        keys.rotate(keyId, { ...command, ...from, id: randomUUID() }, keyString, now),
      );
      const successor = { ...newlyListed({ key, maker, policy }, now), fullKey: keyString.reveal(), now };
      return { ...successor, replaced: await transaction.listed(replaced) };
    });
  }
}
