// Original file: proto/latchkey/v1/account_service.proto


export interface ReactivateAccountRequest {
  'id'?: (string);
}

export interface ReactivateAccountRequest__Output {
  'id': (string);
}
