// Original file: proto/latchkey/v1/account_service.proto

import type { Attribute as _latchkey_v1_Attribute, Attribute__Output as _latchkey_v1_Attribute__Output } from '../../latchkey/v1/Attribute.js';

export interface Attributes {
  'items'?: (_latchkey_v1_Attribute)[];
}

export interface Attributes__Output {
  'items': (_latchkey_v1_Attribute__Output)[];
}
