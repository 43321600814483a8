// Original file: proto/latchkey/v1/api_key_service.proto

export const Operation = {
  OPERATION_UNSPECIFIED: 0,
  OPERATION_READ: 1,
  OPERATION_WRITE: 2,
  OPERATION_DESTROY: 3,
  OPERATION_MANAGE_API_KEYS: 4,
  OPERATION_MANAGE_ACCOUNT: 5,
  OPERATION_IMPERSONATE: 6,
} as const;

export type Operation =
  | 'OPERATION_UNSPECIFIED'
  | 0
  | 'OPERATION_READ'
  | 1
  | 'OPERATION_WRITE'
  | 2
  | 'OPERATION_DESTROY'
  | 3
  | 'OPERATION_MANAGE_API_KEYS'
  | 4
  | 'OPERATION_MANAGE_ACCOUNT'
  | 5
  | 'OPERATION_IMPERSONATE'
  | 6

export type Operation__Output = typeof Operation[keyof typeof Operation]
