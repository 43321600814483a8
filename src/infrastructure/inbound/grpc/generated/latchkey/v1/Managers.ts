// Original file: proto/latchkey/v1/account_service.proto


export interface Managers {
  'ids'?: (string)[];
}

export interface Managers__Output {
  'ids': (string)[];
}
