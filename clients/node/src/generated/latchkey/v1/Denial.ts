// Original file: proto/latchkey/v1/api_key_service.proto

import type { Reason as _latchkey_v1_Reason, Reason__Output as _latchkey_v1_Reason__Output } from '../../latchkey/v1/Reason.js';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.js';

export interface Denial {
  'reason'?: (_latchkey_v1_Reason);
  'httpStatus'?: (number);
  'message'?: (string);
  'retryAfter'?: (_google_protobuf_Duration | null);
  'keyId'?: (string);
  'ownerId'?: (string);
}

export interface Denial__Output {
  'reason': (_latchkey_v1_Reason__Output);
  'httpStatus': (number);
  'message': (string);
  'retryAfter': (_google_protobuf_Duration__Output | null);
  'keyId': (string);
  'ownerId': (string);
}
