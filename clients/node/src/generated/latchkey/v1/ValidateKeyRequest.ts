// Original file: proto/latchkey/v1/api_key_service.proto

import type { Operation as _latchkey_v1_Operation, Operation__Output as _latchkey_v1_Operation__Output } from '../../latchkey/v1/Operation.js';
import type { LeaseWish as _latchkey_v1_LeaseWish, LeaseWish__Output as _latchkey_v1_LeaseWish__Output } from '../../latchkey/v1/LeaseWish.js';

export interface ValidateKeyRequest {
  'requestId'?: (string);
  'apiKey'?: (string);
  'authorization'?: (string);
  'operation'?: (_latchkey_v1_Operation);
  'permission'?: (string);
  'clientIp'?: (string);
  'userAgent'?: (string);
  'leaseWish'?: (_latchkey_v1_LeaseWish | null);
  'credential'?: "apiKey"|"authorization";
}

export interface ValidateKeyRequest__Output {
  'requestId': (string);
  'apiKey'?: (string);
  'authorization'?: (string);
  'operation': (_latchkey_v1_Operation__Output);
  'permission': (string);
  'clientIp': (string);
  'userAgent': (string);
  'leaseWish': (_latchkey_v1_LeaseWish__Output | null);
  'credential'?: "apiKey"|"authorization";
}
