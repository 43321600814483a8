// Original file: proto/latchkey/v1/api_key_service.proto

import type { Long } from '@grpc/proto-loader';

export interface LeaseUses {
  'keyId'?: (string);
  'clientIp'?: (string);
  'count'?: (number | string | Long);
  'lastMsAgo'?: (number | string | Long);
}

export interface LeaseUses__Output {
  'keyId': (string);
  'clientIp': (string);
  'count': (string);
  'lastMsAgo': (string);
}
