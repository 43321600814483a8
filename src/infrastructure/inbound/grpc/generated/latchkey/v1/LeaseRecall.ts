// Original file: proto/latchkey/v1/api_key_service.proto

import type { Long } from '@grpc/proto-loader';

export interface LeaseRecall {
  'ids'?: (number | string | Long)[];
}

export interface LeaseRecall__Output {
  'ids': (string)[];
}
