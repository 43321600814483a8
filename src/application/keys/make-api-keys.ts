import { randomUUID } from 'node:crypto';
import { accountActor, type Actor, type Client } from '#domain/audit/audit-event.js';
import { LatchkeyError, requireFields } from '#domain/errors.js';
import {
  defaultKeyDays,
  keyDaysProblem,
  type KeyPolicy,
  keyPolicy,
  requireChangesLeft,
  requireGivable,
  requireNewKeys,
  type ServicePolicy,
} from '#domain/keys/key-policy.js';
import { graceSecondsOf } from '#domain/keys/key-rules.js';
import type { KeyOrder, RotationOrder } from '#domain/keys/key-state.js';
import { KeyString } from '#domain/keys/key-string.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import type { ListedKey } from '../lists.js';
import type { Acting, ManagedTransaction } from '../managed-account.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { changeKeys, openKey } from './change-keys.js';

export interface MakingSettings {
  readonly keyPrefix: string;
  /** How many keys an account may make in an hour; 0: no limit. */
  readonly keyChangesPerHour: number;
  readonly keyPolicy: ServicePolicy;
}

/** The door has already checked the fields with `KEY_FIELDS`. */
export interface CreationOrder extends Omit<KeyOrder, 'id' | 'expiresInDays' | 'createdBy'> {
  /** By default 90, or as many as the policy allows. */
  readonly expiresInDays: number | undefined;
  readonly idempotencyKey: string | undefined;
}

export interface CreatedApiKey extends ListedKey {
  readonly fullKey: string;
}

/**
 * In a transaction of somebody who may make the key. Throws `keys_not_allowed`, `account_not_active`, `invalid_fields` for
 * what can't be given, `idempotency_key_reused`, `too_many_active_keys` and `too_many_changes`.
 */
export async function createKey(
  transaction: ManagedTransaction,
  command: CreationOrder,
  actor: Actor,
  settings: MakingSettings,
): Promise<CreatedApiKey> {
  const { now, account } = transaction;
  const { idempotencyKey } = command;
  const policy = await policyOfNewKey(transaction, actor, settings, idempotencyKey);
  const expiresInDays = command.expiresInDays ?? defaultKeyDays(policy);
  const order = { ...command, id: randomUUID(), createdBy: actor.actorId!, expiresInDays, policy };
  requireGivable(order, account.permissions, policy);
  await requireWithinLimit(transaction, settings.keyChangesPerHour);
  const keys = new OwnerKeys(await transaction.openKeys());
  const keyString = KeyString.generate(settings.keyPrefix);
  const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () => keys.issue(order, keyString, now));
  return { ...(await transaction.listed(key)), fullKey: keyString.reveal() };
}

/** The door has already checked the fields with `ROTATION_FIELDS`. */
export interface RotatingOrder extends Omit<RotationOrder, 'id' | 'createdBy' | 'policy' | 'ownerPermissions'> {
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
}

export interface RotatedApiKey extends CreatedApiKey {
  /** The old key. Unless it leaked, it keeps working until the successor has been used, and then for the grace period. */
  readonly replaced: ListedKey;
}

/** Throws the errors of a creation, and `not_found`, `api_key_not_active`, `api_key_paused` and `rotation_pending`. */
export async function rotateKey(
  transaction: ManagedTransaction,
  command: RotatingOrder,
  actor: Actor,
  settings: MakingSettings,
): Promise<RotatedApiKey> {
  const { now, account } = transaction;
  const { keyId, idempotencyKey } = command;
  const policy = await policyOfNewKey(transaction, actor, settings, idempotencyKey);
  requireFields({ expiresInDays: keyDaysProblem(command.expiresInDays, policy) });
  await requireWithinLimit(transaction, settings.keyChangesPerHour);
  const { keys, key: replaced } = await openKey(transaction, keyId);
  const keyString = KeyString.generate(settings.keyPrefix);
  const made = { id: randomUUID(), createdBy: actor.actorId!, policy, ownerPermissions: account.permissions };
  const key = await changeKeys(transaction, { keys, actor, idempotencyKey }, () =>
    keys.rotate(keyId, { ...command, ...made }, keyString, now),
  );
  const successor = { ...(await transaction.listed(key)), fullKey: keyString.reveal() };
  return { ...successor, replaced: await transaction.listed(replaced) };
}

/** Throws unless the owner may have a new key, and `idempotency_key_reused` with the id of the key of the first time. */
async function policyOfNewKey(
  transaction: ManagedTransaction,
  { actorId }: Actor,
  { keyPolicy: service }: MakingSettings,
  idempotencyKey: string | undefined,
): Promise<KeyPolicy> {
  // Only a manager comes here for a stopped account. It must be a service account.
  const { isActive, status } = transaction.account;
  if (!isActive) {
    const message = `This service account is ${status}: its keys do not work, and no new ones can be made`;
    throw new LatchkeyError('account_not_active', message);
  }
  const earlier = idempotencyKey && (await transaction.findKeyByIdempotencyKey(idempotencyKey, actorId!));
  if (earlier) {
    const message = 'An API key was already created under this Idempotency-Key; its secret is not shown again';
    throw new LatchkeyError('idempotency_key_reused', message, { apiKeyId: earlier });
  }
  const policy = keyPolicy(service, transaction.account);
  requireNewKeys(policy);
  return policy;
}

async function requireWithinLimit(transaction: ManagedTransaction, perHour: number): Promise<void> {
  if (perHour > 0) requireChangesLeft(perHour, await transaction.keyMadeAt(perHour), transaction.now);
}

export type CreateApiKeyCommand = CreationOrder & Acting & Proof;
export type RotateApiKeyCommand = Omit<RotatingOrder, 'graceSeconds'> &
  Acting &
  Proof & {
    /** By default a day, or 0 for a leaked key. */
    readonly graceSeconds: number | undefined;
  };

/** For a person, who confirms it. */
export class MakeApiKeys {
  constructor(
    private readonly confirmation: Confirmation,
    private readonly settings: MakingSettings,
  ) {}

  /** Throws the errors of `createKey` and of a confirmation. */
  create(command: CreateApiKeyCommand, client: Client): Promise<CreatedApiKey> {
    return this.confirmation.confirm({ acting: command, proof: command, client }, (transaction, { id }) =>
      createKey(transaction, command, accountActor(id, client), this.settings),
    );
  }

  /** Throws the errors of `rotateKey` and of a confirmation. */
  async rotate(command: RotateApiKeyCommand, client: Client): Promise<RotatedApiKey> {
    const order = { ...command, graceSeconds: graceSecondsOf(command) };
    return this.confirmation.confirm({ acting: command, proof: command, client }, (transaction, { id }) =>
      rotateKey(transaction, order, accountActor(id, client), this.settings),
    );
  }
}
