// Original file: proto/latchkey/v1/account_service.proto

import type { Key as _latchkey_v1_Key, Key__Output as _latchkey_v1_Key__Output } from '../../latchkey/v1/Key.js';

export interface ListKeysResponse {
  'keys'?: (_latchkey_v1_Key)[];
  'nextPageToken'?: (string);
}

export interface ListKeysResponse__Output {
  'keys': (_latchkey_v1_Key__Output)[];
  'nextPageToken': (string);
}
