import { accountIdProblem } from '#domain/accounts/account-profile.js';
import type { AccessLevel } from '#domain/accounts/access-level.js';
import type { Actor } from '#domain/audit/audit-event.js';
import { LatchkeyError, optional } from '#domain/errors.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { namedPermissions, namedPermissionsProblem } from '#domain/keys/key-restrictions.js';
import {
  graceSecondsOf,
  idempotencyKeyProblem,
  isKeyId,
  KEY_FIELDS,
  requireValid,
  ROTATION_FIELDS,
} from '#domain/keys/key-rules.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import { accountNotFound } from '../account-ports.js';
import type { ManagedTransaction } from '../managed-account.js';
import type { Ports } from '../ports.js';
import { type CreatedApiKey, createKey, type MakingSettings, type RotatedApiKey, rotateKey } from './make-api-keys.js';
import type { RevokeKeys } from './revoke-keys.js';

/** The service accounts whose keys an issuer may make and revoke: their ids, or `*` for all of them. */
export type IssuerScope = readonly string[];
export const ALL_SERVICE_ACCOUNTS: IssuerScope = ['*'];

/** A service identity or an administrator. */
export interface Issuer {
  readonly actor: Actor;
  readonly scope: IssuerScope;
}

/** As a program orders it: an empty text or list, and 0 days, are no choice. */
export interface KeyFromCode {
  readonly accountId: string;
  readonly name: string;
  readonly note?: string | undefined;
  /** An AccessLevel; undefined when none was sent. */
  readonly access: string | undefined;
  readonly expiresInDays: number;
  /** `*` alone stands for all that the account has. */
  readonly permissions: readonly string[];
  readonly allowedNetworks: readonly string[];
  readonly idempotencyKey: string;
}

export interface RotationFromCode {
  readonly keyId: string;
  readonly graceSeconds?: number | undefined;
  readonly expiresInDays?: number | undefined;
  readonly idempotencyKey: string;
}

interface KeysFromCodeParts extends Pick<Ports, 'keys' | 'accounts'> {
  readonly revoke: RevokeKeys;
  readonly making: MakingSettings;
}

const CREATION_FIELDS = {
  ...KEY_FIELDS,
  accountId: (id: unknown) => accountIdProblem(id as string),
  expiresInDays: optional(KEY_FIELDS.expiresInDays),
  permissions: (list: unknown) => namedPermissionsProblem(list as readonly string[]),
  idempotencyKey: optional((key) => idempotencyKeyProblem(key as string)),
} as const;

const ORDERED_ROTATION_FIELDS = {
  ...ROTATION_FIELDS,
  keyId: (id: unknown) => (isKeyId(id as string) ? undefined : 'must be the id of a key, a UUID'),
  graceSeconds: optional(ROTATION_FIELDS.graceSeconds),
  idempotencyKey: CREATION_FIELDS.idempotencyKey,
} as const;

/** Makes and ends keys of service accounts, by the rules that people's keys have. Nobody confirms anything. */
export class KeysFromCode {
  constructor(private readonly parts: KeysFromCodeParts) {}

  /** Throws `account_not_found`, `not_a_service_account`, and the errors of a creation but for those of a confirmation. */
  async create(wish: KeyFromCode, issuer: Issuer): Promise<CreatedApiKey> {
    const order = {
      ...wish,
      note: wish.note || undefined,
      expiresInDays: wish.expiresInDays || undefined,
      allowedNetworks: wish.allowedNetworks.length > 0 ? wish.allowedNetworks : undefined,
      idempotencyKey: wish.idempotencyKey || undefined,
    };
    requireValid(CREATION_FIELDS, order);
    const { accountId: ownerId, access } = order;
    const permissions = namedPermissions(order.permissions);
    const chosen = { ...order, ownerId, access: access as AccessLevel, permissions };
    const { actor } = issuer;
    return this.begin(ownerId, issuer, (transaction) => createKey(transaction, chosen, actor, this.parts.making));
  }

  /** Throws `not_found`, `not_a_service_account`, and the errors of a rotation but for those of a confirmation. */
  async rotate(wish: RotationFromCode, issuer: Issuer): Promise<RotatedApiKey> {
    const { expiresInDays } = wish;
    const keyId = wish.keyId.toLowerCase();
    const idempotencyKey = wish.idempotencyKey || undefined;
    requireValid(ORDERED_ROTATION_FIELDS, { ...wish, keyId, idempotencyKey });
    const { ownerId } = await this.find(keyId, issuer);
    const order = { keyId, graceSeconds: graceSecondsOf(wish), expiresInDays, idempotencyKey };
    const { actor } = issuer;
    return this.begin(ownerId, issuer, (transaction) => rotateKey(transaction, order, actor, this.parts.making));
  }

  /** May be repeated. Returns how many keys it revoked. Throws `not_found`, also for the key of a person. */
  async revoke(keyId: string, issuer: Issuer): Promise<number> {
    const key = await this.find(keyId, issuer);
    const owner = await this.parts.accounts.find(key.ownerId);
    if (owner?.kind !== 'service') throw noSuchKey();
    const was = await this.parts.revoke.found(key, { actor: issuer.actor, reason: 'owner' });
    return was === 'active' ? 1 : 0;
  }

  /** The account may be another one when the transaction begins, so it is checked there. */
  private begin<T>(ownerId: string, { scope }: Issuer, make: (transaction: ManagedTransaction) => Promise<T>) {
    return this.parts.accounts.transaction(ownerId, (transaction) => {
      const { account } = transaction;
      if (!account || !isIn(scope, ownerId)) throw accountNotFound();
      if (account.kind !== 'service') {
        const why = 'who confirms each new key: create a service account for keys from code';
        throw new LatchkeyError('not_a_service_account', `This is the account of a person, ${why}`);
      }
      return make(transaction as ManagedTransaction);
    });
  }

  private async find(keyId: string, { scope }: Issuer): Promise<ApiKey> {
    const key = await this.parts.keys.find(keyId);
    if (!key || !isIn(scope, key.ownerId)) throw noSuchKey();
    return key;
  }
}

function isIn(scope: IssuerScope, accountId: string): boolean {
  return scope.includes('*') || scope.includes(accountId);
}
