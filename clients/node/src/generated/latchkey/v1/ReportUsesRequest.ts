// Original file: proto/latchkey/v1/api_key_service.proto

import type { KeyUses as _latchkey_v1_KeyUses, KeyUses__Output as _latchkey_v1_KeyUses__Output } from '../../latchkey/v1/KeyUses.js';

export interface ReportUsesRequest {
  'uses'?: (_latchkey_v1_KeyUses)[];
}

export interface ReportUsesRequest__Output {
  'uses': (_latchkey_v1_KeyUses__Output)[];
}
