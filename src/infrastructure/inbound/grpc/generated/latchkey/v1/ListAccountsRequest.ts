// Original file: proto/latchkey/v1/account_service.proto

import type { AccountStatus as _latchkey_v1_AccountStatus, AccountStatus__Output as _latchkey_v1_AccountStatus__Output } from '../../latchkey/v1/AccountStatus.js';

export interface ListAccountsRequest {
  'status'?: (_latchkey_v1_AccountStatus);
  'email'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
}

export interface ListAccountsRequest__Output {
  'status': (_latchkey_v1_AccountStatus__Output);
  'email': (string);
  'pageSize': (number);
  'pageToken': (string);
}
