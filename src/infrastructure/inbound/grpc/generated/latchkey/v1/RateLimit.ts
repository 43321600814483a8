// Original file: proto/latchkey/v1/api_key_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.js';

export interface RateLimit {
  'limit'?: (number);
  'remaining'?: (number);
  'resetAfter'?: (_google_protobuf_Duration | null);
  'window'?: (_google_protobuf_Duration | null);
}

export interface RateLimit__Output {
  'limit': (number);
  'remaining': (number);
  'resetAfter': (_google_protobuf_Duration__Output | null);
  'window': (_google_protobuf_Duration__Output | null);
}
