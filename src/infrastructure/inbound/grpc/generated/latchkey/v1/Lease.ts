// Original file: proto/latchkey/v1/api_key_service.proto

import type { Long } from '@grpc/proto-loader';

export interface Lease {
  'id'?: (number | string | Long);
  'lengthMs'?: (number);
  'uses'?: (number);
  'hasOwnPermissions'?: (boolean);
  'allowedNetworks'?: (string)[];
}

export interface Lease__Output {
  'id': (string);
  'lengthMs': (number);
  'uses': (number);
  'hasOwnPermissions': (boolean);
  'allowedNetworks': (string)[];
}
