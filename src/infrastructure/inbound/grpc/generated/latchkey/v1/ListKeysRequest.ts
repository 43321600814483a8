// Original file: proto/latchkey/v1/account_service.proto

import type { KeyStatus as _latchkey_v1_KeyStatus, KeyStatus__Output as _latchkey_v1_KeyStatus__Output } from '../../latchkey/v1/KeyStatus.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.js';

export interface ListKeysRequest {
  'ownerId'?: (string);
  'status'?: (_latchkey_v1_KeyStatus);
  'lastUsedBefore'?: (_google_protobuf_Timestamp | null);
  'expiresBefore'?: (_google_protobuf_Timestamp | null);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'prefix'?: (string);
  'createdBy'?: (string);
}

export interface ListKeysRequest__Output {
  'ownerId': (string);
  'status': (_latchkey_v1_KeyStatus__Output);
  'lastUsedBefore': (_google_protobuf_Timestamp__Output | null);
  'expiresBefore': (_google_protobuf_Timestamp__Output | null);
  'pageSize': (number);
  'pageToken': (string);
  'prefix': (string);
  'createdBy': (string);
}
