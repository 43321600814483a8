import { Account } from '../../../../domain/accounts/account.js';
import { ApiKey } from '../../../../domain/keys/api-key.js';
import type { AccountRow, ApiKeyRow } from './rows.js';

export function toAccount(row: AccountRow): Account {
  return Account.restore({
    id: row.id,
    email: row.email,
    displayName: row.displayName,
    permissions: row.permissions,
    passwordHash: row.passwordHash,
    status: row.status,
    version: BigInt(row.version),
  });
}

export function fromAccount(account: Account, emailKey: string): AccountRow {
  return {
    id: account.id,
    email: account.email,
    emailKey,
    displayName: account.displayName,
    permissions: [...account.permissions],
    passwordHash: account.passwordHash,
    status: account.status,
    version: account.version.toString(),
  };
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return ApiKey.restore({
    id: row.id,
    ownerId: row.ownerId,
    name: row.name,
    access: row.access,
    keyPrefix: row.keyPrefix,
    publicPart: row.publicPart,
    digest: row.digest,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    expiredAt: row.expiredAt,
  });
}

export function fromApiKey(key: ApiKey, idempotencyKey: string | null): ApiKeyRow {
  const state = key.snapshot();
  return {
    id: state.id,
    ownerId: state.ownerId,
    name: state.name,
    access: state.access,
    keyPrefix: state.keyPrefix,
    publicPart: state.publicPart,
    digest: state.digest,
    createdAt: state.createdAt,
    expiresAt: state.expiresAt,
    revokedAt: state.revokedAt,
    expiredAt: state.expiredAt,
    idempotencyKey,
  };
}
