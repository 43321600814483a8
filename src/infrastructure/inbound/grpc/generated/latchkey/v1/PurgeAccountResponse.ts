// Original file: proto/latchkey/v1/account_service.proto


export interface PurgeAccountResponse {
  'revokedKeys'?: (number);
}

export interface PurgeAccountResponse__Output {
  'revokedKeys': (number);
}
