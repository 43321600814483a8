// Original file: proto/latchkey/v1/account_service.proto


export interface RevokeKeysRequest {
  'keyId'?: (string);
  'ownerId'?: (string);
  'of'?: "keyId"|"ownerId";
}

export interface RevokeKeysRequest__Output {
  'keyId'?: (string);
  'ownerId'?: (string);
  'of'?: "keyId"|"ownerId";
}
