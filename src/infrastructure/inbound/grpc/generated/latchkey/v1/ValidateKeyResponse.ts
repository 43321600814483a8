// Original file: proto/latchkey/v1/api_key_service.proto

import type { Grant as _latchkey_v1_Grant, Grant__Output as _latchkey_v1_Grant__Output } from '../../latchkey/v1/Grant.js';
import type { Denial as _latchkey_v1_Denial, Denial__Output as _latchkey_v1_Denial__Output } from '../../latchkey/v1/Denial.js';
import type { RateLimit as _latchkey_v1_RateLimit, RateLimit__Output as _latchkey_v1_RateLimit__Output } from '../../latchkey/v1/RateLimit.js';
import type { Failure as _latchkey_v1_Failure, Failure__Output as _latchkey_v1_Failure__Output } from '../../latchkey/v1/Failure.js';
import type { Lease as _latchkey_v1_Lease, Lease__Output as _latchkey_v1_Lease__Output } from '../../latchkey/v1/Lease.js';

export interface ValidateKeyResponse {
  'requestId'?: (string);
  'grant'?: (_latchkey_v1_Grant | null);
  'denial'?: (_latchkey_v1_Denial | null);
  'rateLimit'?: (_latchkey_v1_RateLimit | null);
  'failure'?: (_latchkey_v1_Failure | null);
  'lease'?: (_latchkey_v1_Lease | null);
  'outcome'?: "grant"|"denial"|"failure";
}

export interface ValidateKeyResponse__Output {
  'requestId': (string);
  'grant'?: (_latchkey_v1_Grant__Output | null);
  'denial'?: (_latchkey_v1_Denial__Output | null);
  'rateLimit': (_latchkey_v1_RateLimit__Output | null);
  'failure'?: (_latchkey_v1_Failure__Output | null);
  'lease': (_latchkey_v1_Lease__Output | null);
  'outcome'?: "grant"|"denial"|"failure";
}
