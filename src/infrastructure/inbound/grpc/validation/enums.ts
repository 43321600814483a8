import type { AccessLevel, Operation } from '../../../../domain/keys/access.js';
import type { DenialReason } from '../../../../domain/keys/verdict.js';
import type { AccessLevel as WireAccess } from '../generated/latchkey/v1/AccessLevel.js';
import type { Operation as WireOperation } from '../generated/latchkey/v1/Operation.js';
import type { Reason as WireReason } from '../generated/latchkey/v1/Reason.js';
import { numbersOf } from './validation-messages.js';

const operation = numbersOf<WireOperation>('Operation');
const access = numbersOf<WireAccess>('AccessLevel');
const reason = numbersOf<WireReason>('Reason');

/** OPERATION_UNSPECIFIED, and numbers that no name stands for, are not in here. */
export const OPERATION: Readonly<Record<number, Operation>> = {
  [operation.OPERATION_READ]: 'read',
  [operation.OPERATION_WRITE]: 'write',
  [operation.OPERATION_DESTROY]: 'destroy',
  [operation.OPERATION_MANAGE_API_KEYS]: 'manage-api-keys',
  [operation.OPERATION_MANAGE_ACCOUNT]: 'manage-account',
  [operation.OPERATION_IMPERSONATE]: 'impersonate',
};

export const ACCESS: Readonly<Record<AccessLevel, number>> = {
  'read-only': access.ACCESS_LEVEL_READ_ONLY,
  'read-and-write': access.ACCESS_LEVEL_READ_AND_WRITE,
};

/** For the calling service alone. */
export const REASON: Readonly<Record<DenialReason, number>> = {
  'invalid-key': reason.REASON_INVALID_KEY,
  revoked: reason.REASON_REVOKED,
  expired: reason.REASON_EXPIRED,
  'owner-suspended': reason.REASON_OWNER_SUSPENDED,
  'owner-deleted': reason.REASON_OWNER_DELETED,
  'rate-limited': reason.REASON_RATE_LIMITED,
  'operation-not-allowed': reason.REASON_OPERATION_NOT_ALLOWED,
  'read-only-key': reason.REASON_READ_ONLY_KEY,
  'missing-permission': reason.REASON_MISSING_PERMISSION,
};
