// Original file: proto/latchkey/v1/api_key_service.proto

export const AccessLevel = {
  ACCESS_LEVEL_UNSPECIFIED: 'ACCESS_LEVEL_UNSPECIFIED',
  ACCESS_LEVEL_READ_ONLY: 'ACCESS_LEVEL_READ_ONLY',
  ACCESS_LEVEL_READ_AND_WRITE: 'ACCESS_LEVEL_READ_AND_WRITE',
} as const;

export type AccessLevel =
  | 'ACCESS_LEVEL_UNSPECIFIED'
  | 0
  | 'ACCESS_LEVEL_READ_ONLY'
  | 1
  | 'ACCESS_LEVEL_READ_AND_WRITE'
  | 2

export type AccessLevel__Output = typeof AccessLevel[keyof typeof AccessLevel]
