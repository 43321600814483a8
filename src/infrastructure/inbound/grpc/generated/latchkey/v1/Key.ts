// Original file: proto/latchkey/v1/account_service.proto

import type { AccessLevel as _latchkey_v1_AccessLevel, AccessLevel__Output as _latchkey_v1_AccessLevel__Output } from '../../latchkey/v1/AccessLevel.js';
import type { KeyStatus as _latchkey_v1_KeyStatus, KeyStatus__Output as _latchkey_v1_KeyStatus__Output } from '../../latchkey/v1/KeyStatus.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.js';

export interface Key {
  'id'?: (string);
  'ownerId'?: (string);
  'name'?: (string);
  'access'?: (_latchkey_v1_AccessLevel);
  'prefix'?: (string);
  'status'?: (_latchkey_v1_KeyStatus);
  'createdAt'?: (_google_protobuf_Timestamp | null);
  'lastUsedAt'?: (_google_protobuf_Timestamp | null);
  'expiresAt'?: (_google_protobuf_Timestamp | null);
  'revokedAt'?: (_google_protobuf_Timestamp | null);
  'endsAt'?: (_google_protobuf_Timestamp | null);
  'permissions'?: (string)[];
  'allowedNetworks'?: (string)[];
  'imported'?: (boolean);
  'createdBy'?: (string);
}

export interface Key__Output {
  'id': (string);
  'ownerId': (string);
  'name': (string);
  'access': (_latchkey_v1_AccessLevel__Output);
  'prefix': (string);
  'status': (_latchkey_v1_KeyStatus__Output);
  'createdAt': (_google_protobuf_Timestamp__Output | null);
  'lastUsedAt': (_google_protobuf_Timestamp__Output | null);
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
  'revokedAt': (_google_protobuf_Timestamp__Output | null);
  'endsAt': (_google_protobuf_Timestamp__Output | null);
  'permissions': (string)[];
  'allowedNetworks': (string)[];
  'imported': (boolean);
  'createdBy': (string);
}
