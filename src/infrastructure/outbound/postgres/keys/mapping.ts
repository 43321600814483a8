import { ApiKey } from '../../../../domain/keys/api-key.js';
import type { ApiKeyRow } from './rows.js';

/** A column of the table is a field of the key's state, under its name; the types refuse one that is missing. */
export function toApiKey({
  idempotencyKey: _idempotencyKey,
  purged: _purged,
  owner: _owner,
  ...state
}: ApiKeyRow): ApiKey {
  return ApiKey.restore(state);
}

export function fromApiKey(key: ApiKey, idempotencyKey: string | null): ApiKeyRow {
  return { ...key.snapshot(), idempotencyKey, purged: false };
}
