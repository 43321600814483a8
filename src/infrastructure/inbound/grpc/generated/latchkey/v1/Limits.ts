// Original file: proto/latchkey/v1/account_service.proto

import type { AccessLevel as _latchkey_v1_AccessLevel, AccessLevel__Output as _latchkey_v1_AccessLevel__Output } from '../../latchkey/v1/AccessLevel.js';

export interface Limits {
  'requestsPerSecond'?: (number);
  'burst'?: (number);
  'maxAccess'?: (_latchkey_v1_AccessLevel);
  'maxKeyDays'?: (number);
  'maxActiveKeys'?: (number);
}

export interface Limits__Output {
  'requestsPerSecond': (number);
  'burst': (number);
  'maxAccess': (_latchkey_v1_AccessLevel__Output);
  'maxKeyDays': (number);
  'maxActiveKeys': (number);
}
