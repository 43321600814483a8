import { ACCOUNT_STATUSES, type Account, type AccountStatus } from '../../../../domain/accounts/account.js';
import type { Account as WireAccount } from '../generated/latchkey/v1/Account.js';
import type { AccountStatus as WireStatus } from '../generated/latchkey/v1/AccountStatus.js';

const STATUS: Readonly<Record<AccountStatus, WireStatus>> = {
  active: 'ACCOUNT_STATUS_ACTIVE',
  suspended: 'ACCOUNT_STATUS_SUSPENDED',
  deleted: 'ACCOUNT_STATUS_DELETED',
};

/** Undefined for ACCOUNT_STATUS_UNSPECIFIED, and for an unknown status. */
export function fromWireStatus(wire: WireStatus): AccountStatus | undefined {
  return ACCOUNT_STATUSES.find((status) => STATUS[status] === wire);
}

export function toWire(account: Account): WireAccount {
  return {
    id: account.id,
    email: account.email,
    displayName: account.displayName,
    permissions: [...account.permissions],
    status: STATUS[account.status],
    version: account.version.toString(),
  };
}
