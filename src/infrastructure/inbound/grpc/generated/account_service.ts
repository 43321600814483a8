import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Account as _latchkey_v1_Account, Account__Output as _latchkey_v1_Account__Output } from './latchkey/v1/Account.js';
import type { AccountServiceClient as _latchkey_v1_AccountServiceClient, AccountServiceDefinition as _latchkey_v1_AccountServiceDefinition } from './latchkey/v1/AccountService.js';
import type { DeleteAccountRequest as _latchkey_v1_DeleteAccountRequest, DeleteAccountRequest__Output as _latchkey_v1_DeleteAccountRequest__Output } from './latchkey/v1/DeleteAccountRequest.js';
import type { GetAccountRequest as _latchkey_v1_GetAccountRequest, GetAccountRequest__Output as _latchkey_v1_GetAccountRequest__Output } from './latchkey/v1/GetAccountRequest.js';
import type { ListAccountsRequest as _latchkey_v1_ListAccountsRequest, ListAccountsRequest__Output as _latchkey_v1_ListAccountsRequest__Output } from './latchkey/v1/ListAccountsRequest.js';
import type { ListAccountsResponse as _latchkey_v1_ListAccountsResponse, ListAccountsResponse__Output as _latchkey_v1_ListAccountsResponse__Output } from './latchkey/v1/ListAccountsResponse.js';
import type { PurgeAccountRequest as _latchkey_v1_PurgeAccountRequest, PurgeAccountRequest__Output as _latchkey_v1_PurgeAccountRequest__Output } from './latchkey/v1/PurgeAccountRequest.js';
import type { PurgeAccountResponse as _latchkey_v1_PurgeAccountResponse, PurgeAccountResponse__Output as _latchkey_v1_PurgeAccountResponse__Output } from './latchkey/v1/PurgeAccountResponse.js';
import type { PutAccountRequest as _latchkey_v1_PutAccountRequest, PutAccountRequest__Output as _latchkey_v1_PutAccountRequest__Output } from './latchkey/v1/PutAccountRequest.js';
import type { ReactivateAccountRequest as _latchkey_v1_ReactivateAccountRequest, ReactivateAccountRequest__Output as _latchkey_v1_ReactivateAccountRequest__Output } from './latchkey/v1/ReactivateAccountRequest.js';
import type { RevokeKeysRequest as _latchkey_v1_RevokeKeysRequest, RevokeKeysRequest__Output as _latchkey_v1_RevokeKeysRequest__Output } from './latchkey/v1/RevokeKeysRequest.js';
import type { RevokeKeysResponse as _latchkey_v1_RevokeKeysResponse, RevokeKeysResponse__Output as _latchkey_v1_RevokeKeysResponse__Output } from './latchkey/v1/RevokeKeysResponse.js';
import type { SuspendAccountRequest as _latchkey_v1_SuspendAccountRequest, SuspendAccountRequest__Output as _latchkey_v1_SuspendAccountRequest__Output } from './latchkey/v1/SuspendAccountRequest.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  latchkey: {
    v1: {
      Account: MessageTypeDefinition<_latchkey_v1_Account, _latchkey_v1_Account__Output>
      AccountService: SubtypeConstructor<typeof grpc.Client, _latchkey_v1_AccountServiceClient> & { service: _latchkey_v1_AccountServiceDefinition }
      AccountStatus: EnumTypeDefinition
      DeleteAccountRequest: MessageTypeDefinition<_latchkey_v1_DeleteAccountRequest, _latchkey_v1_DeleteAccountRequest__Output>
      GetAccountRequest: MessageTypeDefinition<_latchkey_v1_GetAccountRequest, _latchkey_v1_GetAccountRequest__Output>
      ListAccountsRequest: MessageTypeDefinition<_latchkey_v1_ListAccountsRequest, _latchkey_v1_ListAccountsRequest__Output>
      ListAccountsResponse: MessageTypeDefinition<_latchkey_v1_ListAccountsResponse, _latchkey_v1_ListAccountsResponse__Output>
      PurgeAccountRequest: MessageTypeDefinition<_latchkey_v1_PurgeAccountRequest, _latchkey_v1_PurgeAccountRequest__Output>
      PurgeAccountResponse: MessageTypeDefinition<_latchkey_v1_PurgeAccountResponse, _latchkey_v1_PurgeAccountResponse__Output>
      PutAccountRequest: MessageTypeDefinition<_latchkey_v1_PutAccountRequest, _latchkey_v1_PutAccountRequest__Output>
      ReactivateAccountRequest: MessageTypeDefinition<_latchkey_v1_ReactivateAccountRequest, _latchkey_v1_ReactivateAccountRequest__Output>
      RevokeKeysRequest: MessageTypeDefinition<_latchkey_v1_RevokeKeysRequest, _latchkey_v1_RevokeKeysRequest__Output>
      RevokeKeysResponse: MessageTypeDefinition<_latchkey_v1_RevokeKeysResponse, _latchkey_v1_RevokeKeysResponse__Output>
      SuspendAccountRequest: MessageTypeDefinition<_latchkey_v1_SuspendAccountRequest, _latchkey_v1_SuspendAccountRequest__Output>
    }
  }
}

