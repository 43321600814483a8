// Original file: proto/latchkey/v1/account_service.proto

import type { AccountStatus as _latchkey_v1_AccountStatus, AccountStatus__Output as _latchkey_v1_AccountStatus__Output } from '../../latchkey/v1/AccountStatus.js';
import type { Limits as _latchkey_v1_Limits, Limits__Output as _latchkey_v1_Limits__Output } from '../../latchkey/v1/Limits.js';
import type { Attributes as _latchkey_v1_Attributes, Attributes__Output as _latchkey_v1_Attributes__Output } from '../../latchkey/v1/Attributes.js';
import type { AccountKind as _latchkey_v1_AccountKind, AccountKind__Output as _latchkey_v1_AccountKind__Output } from '../../latchkey/v1/AccountKind.js';
import type { Managers as _latchkey_v1_Managers, Managers__Output as _latchkey_v1_Managers__Output } from '../../latchkey/v1/Managers.js';
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
  'kind'?: (_latchkey_v1_AccountKind);
  'managers'?: (_latchkey_v1_Managers | null);
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
  'kind': (_latchkey_v1_AccountKind__Output);
  'managers': (_latchkey_v1_Managers__Output | null);
}
