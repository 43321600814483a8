// Original file: proto/latchkey/v1/account_service.proto


export interface RevokeKeysResponse {
  'revokedKeys'?: (number);
}

export interface RevokeKeysResponse__Output {
  'revokedKeys': (number);
}
