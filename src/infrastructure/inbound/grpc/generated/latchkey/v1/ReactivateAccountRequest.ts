// Original file: proto/latchkey/v1/account_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ReactivateAccountRequest {
  'id'?: (string);
  'version'?: (number | string | Long);
  '_version'?: "version";
}

export interface ReactivateAccountRequest__Output {
  'id': (string);
  'version'?: (string);
  '_version'?: "version";
}
