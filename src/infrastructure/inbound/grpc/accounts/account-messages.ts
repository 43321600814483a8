import type { AccountListing } from '../../../../application/accounts/list-accounts.js';
import { ACCOUNT_STATUSES, type Account, type AccountStatus } from '../../../../domain/accounts/account.js';
import { accountIdProblem } from '../../../../domain/accounts/account-profile.js';
import { invalidFields, requireFields } from '../../../../domain/errors.js';
import { isKeyId } from '../../../../domain/keys/key-id.js';
import type { Account as WireAccount } from '../generated/latchkey/v1/Account.js';
import type { AccountStatus as WireStatus } from '../generated/latchkey/v1/AccountStatus.js';
import type { ListAccountsRequest__Output } from '../generated/latchkey/v1/ListAccountsRequest.js';
import type { RevokeKeysRequest__Output } from '../generated/latchkey/v1/RevokeKeysRequest.js';

const STATUS: Readonly<Record<AccountStatus, WireStatus>> = {
  active: 'ACCOUNT_STATUS_ACTIVE',
  suspended: 'ACCOUNT_STATUS_SUSPENDED',
  deleted: 'ACCOUNT_STATUS_DELETED',
};

export function toWire({ id, email, displayName, permissions, status, version }: Account): WireAccount {
  return { id, email, displayName, permissions: [...permissions], status: STATUS[status], version: version.toString() };
}

export interface ById {
  readonly id: string;
}

export interface Versioned {
  /** The proto loader delivers a uint64 as text. */
  readonly version?: string | undefined;
}

export function idOf({ id }: ById): string {
  requireFields({ id: accountIdProblem(id) });
  return id;
}

export function versionOf({ version }: Versioned): bigint | undefined {
  return version === undefined ? undefined : BigInt(version);
}

export function listingOf(request: ListAccountsRequest__Output): AccountListing {
  const status = ACCOUNT_STATUSES.find((known) => STATUS[known] === request.status);
  const isKnown = status !== undefined || request.status === 'ACCOUNT_STATUS_UNSPECIFIED';
  requireFields({ status: isKnown ? undefined : 'must be a status of an account' });
  const { email, pageSize, pageToken } = request;
  return { status, email: email || undefined, pageSize, pageToken: pageToken || undefined };
}

type KeysToRevoke =
  | { readonly keyId: string; readonly ownerId?: never }
  | { readonly keyId?: never; readonly ownerId: string };

export function keysToRevoke({ keyId, ownerId }: RevokeKeysRequest__Output): KeysToRevoke {
  if (ownerId !== undefined) {
    requireFields({ ownerId: accountIdProblem(ownerId) });
    return { ownerId };
  }
  if (keyId === undefined) throw invalidFields([{ field: 'keyId', message: 'or owner_id is required' }]);
  const id = keyId.toLowerCase();
  requireFields({ keyId: isKeyId(id) ? undefined : 'must be the id of a key, a UUID' });
  return { keyId: id };
}
