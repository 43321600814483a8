import { ApiKey } from '../../../../domain/keys/api-key.js';
import type { ChangingKeyState } from '../../../../domain/keys/key-state.js';
import type { ApiKeyRow } from './rows.js';

/** Each column is a field of the key's state with the same name. The compiler reports a missing one. */
export function toApiKey({
  idempotencyKey: _idempotencyKey,
  purged: _purged,
  foundIdle: _foundIdle,
  owner: _owner,
  ...state
}: ApiKeyRow): ApiKey {
  return ApiKey.restore(state);
}

/** What every change of a key saves. The compiler reports a field that is missing here. */
export function changingColumns(key: ApiKey): ChangingKeyState {
  const { name, note, revokedAt, expiredAt, endsAt, replacedBy, priorEndsAt, firstUsedAt } = key.snapshot();
  return { name, note, revokedAt, expiredAt, endsAt, replacedBy, priorEndsAt, firstUsedAt };
}

export function fromApiKey(key: ApiKey, idempotencyKey: string | null): ApiKeyRow {
  const { permissions, allowedNetworks, ...state } = key.snapshot();
  const lists = {
    permissions: permissions && [...permissions],
    allowedNetworks: allowedNetworks && [...allowedNetworks],
  };
  return { ...state, ...lists, idempotencyKey, purged: false, foundIdle: null };
}
