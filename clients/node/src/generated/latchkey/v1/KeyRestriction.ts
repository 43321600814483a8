// Original file: proto/latchkey/v1/api_key_service.proto

export const KeyRestriction = {
  KEY_RESTRICTION_UNSPECIFIED: 'KEY_RESTRICTION_UNSPECIFIED',
  KEY_RESTRICTION_PERMISSIONS: 'KEY_RESTRICTION_PERMISSIONS',
  KEY_RESTRICTION_NETWORKS: 'KEY_RESTRICTION_NETWORKS',
} as const;

export type KeyRestriction =
  | 'KEY_RESTRICTION_UNSPECIFIED'
  | 0
  | 'KEY_RESTRICTION_PERMISSIONS'
  | 1
  | 'KEY_RESTRICTION_NETWORKS'
  | 2

export type KeyRestriction__Output = typeof KeyRestriction[keyof typeof KeyRestriction]
