// Original file: proto/latchkey/v1/account_service.proto


export interface SuspendAccountRequest {
  'id'?: (string);
}

export interface SuspendAccountRequest__Output {
  'id': (string);
}
