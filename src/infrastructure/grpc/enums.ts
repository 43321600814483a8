import type { AccessLevel, Operation } from '../../domain/access.js';
import type { AccountStatus } from '../../domain/account.js';
import type { DenialReason } from '../../domain/verdict.js';
import type { AccessLevel as WireAccess } from './generated/latchkey/v1/AccessLevel.js';
import type { AccountStatus as WireStatus } from './generated/latchkey/v1/AccountStatus.js';
import type { Reason } from './generated/latchkey/v1/Reason.js';

/** OPERATION_UNSPECIFIED, and numbers that no name stands for, are not in here. */
export const OPERATION: Readonly<Record<string, Operation>> = {
  OPERATION_READ: 'read',
  OPERATION_WRITE: 'write',
  OPERATION_DESTROY: 'destroy',
  OPERATION_MANAGE_API_KEYS: 'manage-api-keys',
  OPERATION_MANAGE_ACCOUNT: 'manage-account',
  OPERATION_IMPERSONATE: 'impersonate',
};

export const ACCESS: Readonly<Record<AccessLevel, WireAccess>> = {
  'read-only': 'ACCESS_LEVEL_READ_ONLY',
  'read-and-write': 'ACCESS_LEVEL_READ_AND_WRITE',
};

export const ACCOUNT_STATUS: Readonly<Record<AccountStatus, WireStatus>> = {
  active: 'ACCOUNT_STATUS_ACTIVE',
  suspended: 'ACCOUNT_STATUS_SUSPENDED',
  deleted: 'ACCOUNT_STATUS_DELETED',
};

/** For the calling service alone. */
export const REASON: Readonly<Record<DenialReason, Reason>> = {
  'invalid-key': 'REASON_INVALID_KEY',
  revoked: 'REASON_REVOKED',
  expired: 'REASON_EXPIRED',
  'owner-suspended': 'REASON_OWNER_SUSPENDED',
  'owner-deleted': 'REASON_OWNER_DELETED',
  'rate-limited': 'REASON_RATE_LIMITED',
  'operation-not-allowed': 'REASON_OPERATION_NOT_ALLOWED',
  'read-only-key': 'REASON_READ_ONLY_KEY',
  'missing-permission': 'REASON_MISSING_PERMISSION',
};
