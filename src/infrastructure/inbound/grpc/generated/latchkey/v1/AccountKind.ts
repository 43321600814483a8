// Original file: proto/latchkey/v1/account_service.proto

export const AccountKind = {
  ACCOUNT_KIND_UNSPECIFIED: 'ACCOUNT_KIND_UNSPECIFIED',
  ACCOUNT_KIND_PERSON: 'ACCOUNT_KIND_PERSON',
  ACCOUNT_KIND_SERVICE: 'ACCOUNT_KIND_SERVICE',
} as const;

export type AccountKind =
  | 'ACCOUNT_KIND_UNSPECIFIED'
  | 0
  | 'ACCOUNT_KIND_PERSON'
  | 1
  | 'ACCOUNT_KIND_SERVICE'
  | 2

export type AccountKind__Output = typeof AccountKind[keyof typeof AccountKind]
