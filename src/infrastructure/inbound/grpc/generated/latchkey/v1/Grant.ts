// Original file: proto/latchkey/v1/api_key_service.proto

import type { AccessLevel as _latchkey_v1_AccessLevel, AccessLevel__Output as _latchkey_v1_AccessLevel__Output } from '../../latchkey/v1/AccessLevel.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.js';
import type { Attribute as _latchkey_v1_Attribute, Attribute__Output as _latchkey_v1_Attribute__Output } from '../../latchkey/v1/Attribute.js';

export interface Grant {
  'keyId'?: (string);
  'ownerId'?: (string);
  'access'?: (_latchkey_v1_AccessLevel);
  'permissions'?: (string)[];
  'expiresAt'?: (_google_protobuf_Timestamp | null);
  'attributes'?: (_latchkey_v1_Attribute)[];
}

export interface Grant__Output {
  'keyId': (string);
  'ownerId': (string);
  'access': (_latchkey_v1_AccessLevel__Output);
  'permissions': (string)[];
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
  'attributes': (_latchkey_v1_Attribute__Output)[];
}
