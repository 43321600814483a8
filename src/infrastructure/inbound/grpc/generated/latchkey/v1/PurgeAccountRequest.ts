// Original file: proto/latchkey/v1/account_service.proto

import type { Long } from '@grpc/proto-loader';

export interface PurgeAccountRequest {
  'id'?: (string);
  'version'?: (number | string | Long);
  '_version'?: "version";
}

export interface PurgeAccountRequest__Output {
  'id': (string);
  'version'?: (string);
  '_version'?: "version";
}
