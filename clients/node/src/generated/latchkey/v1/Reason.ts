// Original file: proto/latchkey/v1/api_key_service.proto

export const Reason = {
  REASON_UNSPECIFIED: 0,
  REASON_INVALID_KEY: 1,
  REASON_REVOKED: 2,
  REASON_EXPIRED: 3,
  REASON_OWNER_SUSPENDED: 4,
  REASON_OWNER_DELETED: 5,
  REASON_READ_ONLY_KEY: 6,
  REASON_OPERATION_NOT_ALLOWED: 7,
  REASON_MISSING_PERMISSION: 8,
  REASON_RATE_LIMITED: 9,
} as const;

export type Reason =
  | 'REASON_UNSPECIFIED'
  | 0
  | 'REASON_INVALID_KEY'
  | 1
  | 'REASON_REVOKED'
  | 2
  | 'REASON_EXPIRED'
  | 3
  | 'REASON_OWNER_SUSPENDED'
  | 4
  | 'REASON_OWNER_DELETED'
  | 5
  | 'REASON_READ_ONLY_KEY'
  | 6
  | 'REASON_OPERATION_NOT_ALLOWED'
  | 7
  | 'REASON_MISSING_PERMISSION'
  | 8
  | 'REASON_RATE_LIMITED'
  | 9

export type Reason__Output = typeof Reason[keyof typeof Reason]
