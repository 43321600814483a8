// Original file: proto/latchkey/v1/api_key_service.proto


export interface Attribute {
  'name'?: (string);
  'value'?: (string);
}

export interface Attribute__Output {
  'name': (string);
  'value': (string);
}
