// Original file: proto/latchkey/v1/account_service.proto


export interface GetAccountRequest {
  'id'?: (string);
}

export interface GetAccountRequest__Output {
  'id': (string);
}
