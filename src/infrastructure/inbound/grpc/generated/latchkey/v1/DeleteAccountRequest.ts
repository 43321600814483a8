// Original file: proto/latchkey/v1/account_service.proto

import type { Long } from '@grpc/proto-loader';

export interface DeleteAccountRequest {
  'id'?: (string);
  'version'?: (number | string | Long);
  '_version'?: "version";
}

export interface DeleteAccountRequest__Output {
  'id': (string);
  'version'?: (string);
  '_version'?: "version";
}
