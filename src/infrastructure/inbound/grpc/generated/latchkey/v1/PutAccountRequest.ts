// Original file: proto/latchkey/v1/account_service.proto

import type { Limits as _latchkey_v1_Limits, Limits__Output as _latchkey_v1_Limits__Output } from '../../latchkey/v1/Limits.js';
import type { Attributes as _latchkey_v1_Attributes, Attributes__Output as _latchkey_v1_Attributes__Output } from '../../latchkey/v1/Attributes.js';
import type { Long } from '@grpc/proto-loader';

export interface PutAccountRequest {
  'id'?: (string);
  'email'?: (string);
  'displayName'?: (string);
  'permissions'?: (string)[];
  'password'?: (string);
  'passwordHash'?: (string);
  'version'?: (number | string | Long);
  'limits'?: (_latchkey_v1_Limits | null);
  'attributes'?: (_latchkey_v1_Attributes | null);
  'passwordCredential'?: "password"|"passwordHash";
  '_version'?: "version";
}

export interface PutAccountRequest__Output {
  'id': (string);
  'email': (string);
  'displayName': (string);
  'permissions': (string)[];
  'password'?: (string);
  'passwordHash'?: (string);
  'version'?: (string);
  'limits': (_latchkey_v1_Limits__Output | null);
  'attributes': (_latchkey_v1_Attributes__Output | null);
  'passwordCredential'?: "password"|"passwordHash";
  '_version'?: "version";
}
