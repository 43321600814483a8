// Original file: proto/latchkey/v1/api_key_service.proto


export interface Lease {
  'lengthMs'?: (number);
  'uses'?: (number);
  'hasOwnPermissions'?: (boolean);
  'allowedNetworks'?: (string)[];
}

export interface Lease__Output {
  'lengthMs': (number);
  'uses': (number);
  'hasOwnPermissions': (boolean);
  'allowedNetworks': (string)[];
}
