// Original file: proto/latchkey/v1/api_key_service.proto

import type { KeyRestriction as _latchkey_v1_KeyRestriction, KeyRestriction__Output as _latchkey_v1_KeyRestriction__Output } from '../../latchkey/v1/KeyRestriction.js';

export interface LeaseWish {
  'uses'?: (number);
  'understands'?: (_latchkey_v1_KeyRestriction)[];
}

export interface LeaseWish__Output {
  'uses': (number);
  'understands': (_latchkey_v1_KeyRestriction__Output)[];
}
