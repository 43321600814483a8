// Original file: proto/latchkey/v1/account_service.proto

import type { Long } from '@grpc/proto-loader';

export interface ImportKeyResponse {
  'position'?: (number | string | Long);
  'keyId'?: (string);
  'error'?: (string);
}

export interface ImportKeyResponse__Output {
  'position': (string);
  'keyId': (string);
  'error': (string);
}
