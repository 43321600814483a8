// Original file: proto/latchkey/v1/account_service.proto

import type { Account as _latchkey_v1_Account, Account__Output as _latchkey_v1_Account__Output } from '../../latchkey/v1/Account.js';

export interface ListAccountsResponse {
  'accounts'?: (_latchkey_v1_Account)[];
  'nextPageToken'?: (string);
}

export interface ListAccountsResponse__Output {
  'accounts': (_latchkey_v1_Account__Output)[];
  'nextPageToken': (string);
}
