// Original file: proto/latchkey/v1/account_service.proto

import type { AccountStatus as _latchkey_v1_AccountStatus, AccountStatus__Output as _latchkey_v1_AccountStatus__Output } from '../../latchkey/v1/AccountStatus.js';
import type { Limits as _latchkey_v1_Limits, Limits__Output as _latchkey_v1_Limits__Output } from '../../latchkey/v1/Limits.js';
import type { Attributes as _latchkey_v1_Attributes, Attributes__Output as _latchkey_v1_Attributes__Output } from '../../latchkey/v1/Attributes.js';
import type { Long } from '@grpc/proto-loader';

export interface Account {
  'id'?: (string);
  'email'?: (string);
  'displayName'?: (string);
  'permissions'?: (string)[];
  'status'?: (_latchkey_v1_AccountStatus);
  'version'?: (number | string | Long);
  'limits'?: (_latchkey_v1_Limits | null);
  'attributes'?: (_latchkey_v1_Attributes | null);
}

export interface Account__Output {
  'id': (string);
  'email': (string);
  'displayName': (string);
  'permissions': (string)[];
  'status': (_latchkey_v1_AccountStatus__Output);
  'version': (string);
  'limits': (_latchkey_v1_Limits__Output | null);
  'attributes': (_latchkey_v1_Attributes__Output | null);
}
