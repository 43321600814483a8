// Original file: proto/latchkey/v1/account_service.proto

import type { AccountStatus as _latchkey_v1_AccountStatus, AccountStatus__Output as _latchkey_v1_AccountStatus__Output } from '../../latchkey/v1/AccountStatus.js';
import type { Long } from '@grpc/proto-loader';

export interface Account {
  'id'?: (string);
  'email'?: (string);
  'displayName'?: (string);
  'permissions'?: (string)[];
  'status'?: (_latchkey_v1_AccountStatus);
  'version'?: (number | string | Long);
}

export interface Account__Output {
  'id': (string);
  'email': (string);
  'displayName': (string);
  'permissions': (string)[];
  'status': (_latchkey_v1_AccountStatus__Output);
  'version': (string);
}
