// Original file: proto/latchkey/v1/account_service.proto

import type { AccessLevel as _latchkey_v1_AccessLevel, AccessLevel__Output as _latchkey_v1_AccessLevel__Output } from '../../latchkey/v1/AccessLevel.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.js';

export interface ImportKeyRequest {
  'ownerId'?: (string);
  'name'?: (string);
  'access'?: (_latchkey_v1_AccessLevel);
  'sha256'?: (Buffer | Uint8Array | string);
  'displayPrefix'?: (string);
  'expiresAt'?: (_google_protobuf_Timestamp | null);
  'permissions'?: (string)[];
  'allowedNetworks'?: (string)[];
}

export interface ImportKeyRequest__Output {
  'ownerId': (string);
  'name': (string);
  'access': (_latchkey_v1_AccessLevel__Output);
  'sha256': (Buffer);
  'displayPrefix': (string);
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
  'permissions': (string)[];
  'allowedNetworks': (string)[];
}
