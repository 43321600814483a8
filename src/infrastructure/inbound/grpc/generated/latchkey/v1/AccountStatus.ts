// Original file: proto/latchkey/v1/account_service.proto

export const AccountStatus = {
  ACCOUNT_STATUS_UNSPECIFIED: 'ACCOUNT_STATUS_UNSPECIFIED',
  ACCOUNT_STATUS_ACTIVE: 'ACCOUNT_STATUS_ACTIVE',
  ACCOUNT_STATUS_SUSPENDED: 'ACCOUNT_STATUS_SUSPENDED',
  ACCOUNT_STATUS_DELETED: 'ACCOUNT_STATUS_DELETED',
} as const;

export type AccountStatus =
  | 'ACCOUNT_STATUS_UNSPECIFIED'
  | 0
  | 'ACCOUNT_STATUS_ACTIVE'
  | 1
  | 'ACCOUNT_STATUS_SUSPENDED'
  | 2
  | 'ACCOUNT_STATUS_DELETED'
  | 3

export type AccountStatus__Output = typeof AccountStatus[keyof typeof AccountStatus]
