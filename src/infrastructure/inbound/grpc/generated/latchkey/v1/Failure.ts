// Original file: proto/latchkey/v1/api_key_service.proto


export interface Failure {
  'code'?: (number);
  'message'?: (string);
}

export interface Failure__Output {
  'code': (number);
  'message': (string);
}
