// Original file: proto/latchkey/v1/account_service.proto

import type { Long } from '@grpc/proto-loader';

export interface PutAccountRequest {
  'id'?: (string);
  'email'?: (string);
  'displayName'?: (string);
  'permissions'?: (string)[];
  'password'?: (string);
  'passwordHash'?: (string);
  'version'?: (number | string | Long);
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
  'passwordCredential'?: "password"|"passwordHash";
  '_version'?: "version";
}
