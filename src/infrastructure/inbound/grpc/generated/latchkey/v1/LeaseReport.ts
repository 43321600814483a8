// Original file: proto/latchkey/v1/api_key_service.proto

import type { LeaseUses as _latchkey_v1_LeaseUses, LeaseUses__Output as _latchkey_v1_LeaseUses__Output } from '../../latchkey/v1/LeaseUses.js';
import type { Long } from '@grpc/proto-loader';

export interface LeaseReport {
  'givenBack'?: (number | string | Long)[];
  'uses'?: (_latchkey_v1_LeaseUses)[];
}

export interface LeaseReport__Output {
  'givenBack': (string)[];
  'uses': (_latchkey_v1_LeaseUses__Output)[];
}
