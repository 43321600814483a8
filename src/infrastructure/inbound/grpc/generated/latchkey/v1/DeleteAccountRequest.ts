// Original file: proto/latchkey/v1/account_service.proto


export interface DeleteAccountRequest {
  'id'?: (string);
}

export interface DeleteAccountRequest__Output {
  'id': (string);
}
