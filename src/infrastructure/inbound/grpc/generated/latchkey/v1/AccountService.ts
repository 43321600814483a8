// Original file: proto/latchkey/v1/account_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Account as _latchkey_v1_Account, Account__Output as _latchkey_v1_Account__Output } from '../../latchkey/v1/Account.js';
import type { DeleteAccountRequest as _latchkey_v1_DeleteAccountRequest, DeleteAccountRequest__Output as _latchkey_v1_DeleteAccountRequest__Output } from '../../latchkey/v1/DeleteAccountRequest.js';
import type { GetAccountRequest as _latchkey_v1_GetAccountRequest, GetAccountRequest__Output as _latchkey_v1_GetAccountRequest__Output } from '../../latchkey/v1/GetAccountRequest.js';
import type { ImportKeyRequest as _latchkey_v1_ImportKeyRequest, ImportKeyRequest__Output as _latchkey_v1_ImportKeyRequest__Output } from '../../latchkey/v1/ImportKeyRequest.js';
import type { ImportKeyResponse as _latchkey_v1_ImportKeyResponse, ImportKeyResponse__Output as _latchkey_v1_ImportKeyResponse__Output } from '../../latchkey/v1/ImportKeyResponse.js';
import type { ListAccountsRequest as _latchkey_v1_ListAccountsRequest, ListAccountsRequest__Output as _latchkey_v1_ListAccountsRequest__Output } from '../../latchkey/v1/ListAccountsRequest.js';
import type { ListAccountsResponse as _latchkey_v1_ListAccountsResponse, ListAccountsResponse__Output as _latchkey_v1_ListAccountsResponse__Output } from '../../latchkey/v1/ListAccountsResponse.js';
import type { ListKeysRequest as _latchkey_v1_ListKeysRequest, ListKeysRequest__Output as _latchkey_v1_ListKeysRequest__Output } from '../../latchkey/v1/ListKeysRequest.js';
import type { ListKeysResponse as _latchkey_v1_ListKeysResponse, ListKeysResponse__Output as _latchkey_v1_ListKeysResponse__Output } from '../../latchkey/v1/ListKeysResponse.js';
import type { PurgeAccountRequest as _latchkey_v1_PurgeAccountRequest, PurgeAccountRequest__Output as _latchkey_v1_PurgeAccountRequest__Output } from '../../latchkey/v1/PurgeAccountRequest.js';
import type { PurgeAccountResponse as _latchkey_v1_PurgeAccountResponse, PurgeAccountResponse__Output as _latchkey_v1_PurgeAccountResponse__Output } from '../../latchkey/v1/PurgeAccountResponse.js';
import type { PutAccountRequest as _latchkey_v1_PutAccountRequest, PutAccountRequest__Output as _latchkey_v1_PutAccountRequest__Output } from '../../latchkey/v1/PutAccountRequest.js';
import type { ReactivateAccountRequest as _latchkey_v1_ReactivateAccountRequest, ReactivateAccountRequest__Output as _latchkey_v1_ReactivateAccountRequest__Output } from '../../latchkey/v1/ReactivateAccountRequest.js';
import type { RevokeKeysRequest as _latchkey_v1_RevokeKeysRequest, RevokeKeysRequest__Output as _latchkey_v1_RevokeKeysRequest__Output } from '../../latchkey/v1/RevokeKeysRequest.js';
import type { RevokeKeysResponse as _latchkey_v1_RevokeKeysResponse, RevokeKeysResponse__Output as _latchkey_v1_RevokeKeysResponse__Output } from '../../latchkey/v1/RevokeKeysResponse.js';
import type { SuspendAccountRequest as _latchkey_v1_SuspendAccountRequest, SuspendAccountRequest__Output as _latchkey_v1_SuspendAccountRequest__Output } from '../../latchkey/v1/SuspendAccountRequest.js';

export interface AccountServiceClient extends grpc.Client {
  DeleteAccount(argument: _latchkey_v1_DeleteAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  DeleteAccount(argument: _latchkey_v1_DeleteAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  DeleteAccount(argument: _latchkey_v1_DeleteAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  DeleteAccount(argument: _latchkey_v1_DeleteAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  deleteAccount(argument: _latchkey_v1_DeleteAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  deleteAccount(argument: _latchkey_v1_DeleteAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  deleteAccount(argument: _latchkey_v1_DeleteAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  deleteAccount(argument: _latchkey_v1_DeleteAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  
  GetAccount(argument: _latchkey_v1_GetAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  GetAccount(argument: _latchkey_v1_GetAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  GetAccount(argument: _latchkey_v1_GetAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  GetAccount(argument: _latchkey_v1_GetAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  getAccount(argument: _latchkey_v1_GetAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  getAccount(argument: _latchkey_v1_GetAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  getAccount(argument: _latchkey_v1_GetAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  getAccount(argument: _latchkey_v1_GetAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  
  ImportKeys(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ImportKeyRequest, _latchkey_v1_ImportKeyResponse__Output>;
  ImportKeys(options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ImportKeyRequest, _latchkey_v1_ImportKeyResponse__Output>;
  importKeys(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ImportKeyRequest, _latchkey_v1_ImportKeyResponse__Output>;
  importKeys(options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ImportKeyRequest, _latchkey_v1_ImportKeyResponse__Output>;
  
  ListAccounts(argument: _latchkey_v1_ListAccountsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  ListAccounts(argument: _latchkey_v1_ListAccountsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  ListAccounts(argument: _latchkey_v1_ListAccountsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  ListAccounts(argument: _latchkey_v1_ListAccountsRequest, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  listAccounts(argument: _latchkey_v1_ListAccountsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  listAccounts(argument: _latchkey_v1_ListAccountsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  listAccounts(argument: _latchkey_v1_ListAccountsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  listAccounts(argument: _latchkey_v1_ListAccountsRequest, callback: grpc.requestCallback<_latchkey_v1_ListAccountsResponse__Output>): grpc.ClientUnaryCall;
  
  ListKeys(argument: _latchkey_v1_ListKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  ListKeys(argument: _latchkey_v1_ListKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  ListKeys(argument: _latchkey_v1_ListKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  ListKeys(argument: _latchkey_v1_ListKeysRequest, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  listKeys(argument: _latchkey_v1_ListKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  listKeys(argument: _latchkey_v1_ListKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  listKeys(argument: _latchkey_v1_ListKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  listKeys(argument: _latchkey_v1_ListKeysRequest, callback: grpc.requestCallback<_latchkey_v1_ListKeysResponse__Output>): grpc.ClientUnaryCall;
  
  PurgeAccount(argument: _latchkey_v1_PurgeAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  PurgeAccount(argument: _latchkey_v1_PurgeAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  PurgeAccount(argument: _latchkey_v1_PurgeAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  PurgeAccount(argument: _latchkey_v1_PurgeAccountRequest, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  purgeAccount(argument: _latchkey_v1_PurgeAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  purgeAccount(argument: _latchkey_v1_PurgeAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  purgeAccount(argument: _latchkey_v1_PurgeAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  purgeAccount(argument: _latchkey_v1_PurgeAccountRequest, callback: grpc.requestCallback<_latchkey_v1_PurgeAccountResponse__Output>): grpc.ClientUnaryCall;
  
  PutAccount(argument: _latchkey_v1_PutAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  PutAccount(argument: _latchkey_v1_PutAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  PutAccount(argument: _latchkey_v1_PutAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  PutAccount(argument: _latchkey_v1_PutAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  putAccount(argument: _latchkey_v1_PutAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  putAccount(argument: _latchkey_v1_PutAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  putAccount(argument: _latchkey_v1_PutAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  putAccount(argument: _latchkey_v1_PutAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  
  ReactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  ReactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  ReactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  ReactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  reactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  reactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  reactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  reactivateAccount(argument: _latchkey_v1_ReactivateAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  
  RevokeKeys(argument: _latchkey_v1_RevokeKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  RevokeKeys(argument: _latchkey_v1_RevokeKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  RevokeKeys(argument: _latchkey_v1_RevokeKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  RevokeKeys(argument: _latchkey_v1_RevokeKeysRequest, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  revokeKeys(argument: _latchkey_v1_RevokeKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  revokeKeys(argument: _latchkey_v1_RevokeKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  revokeKeys(argument: _latchkey_v1_RevokeKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  revokeKeys(argument: _latchkey_v1_RevokeKeysRequest, callback: grpc.requestCallback<_latchkey_v1_RevokeKeysResponse__Output>): grpc.ClientUnaryCall;
  
  SuspendAccount(argument: _latchkey_v1_SuspendAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  SuspendAccount(argument: _latchkey_v1_SuspendAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  SuspendAccount(argument: _latchkey_v1_SuspendAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  SuspendAccount(argument: _latchkey_v1_SuspendAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  suspendAccount(argument: _latchkey_v1_SuspendAccountRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  suspendAccount(argument: _latchkey_v1_SuspendAccountRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  suspendAccount(argument: _latchkey_v1_SuspendAccountRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  suspendAccount(argument: _latchkey_v1_SuspendAccountRequest, callback: grpc.requestCallback<_latchkey_v1_Account__Output>): grpc.ClientUnaryCall;
  
}

export interface AccountServiceHandlers extends grpc.UntypedServiceImplementation {
  DeleteAccount: grpc.handleUnaryCall<_latchkey_v1_DeleteAccountRequest__Output, _latchkey_v1_Account>;
  
  GetAccount: grpc.handleUnaryCall<_latchkey_v1_GetAccountRequest__Output, _latchkey_v1_Account>;
  
  ImportKeys: grpc.handleBidiStreamingCall<_latchkey_v1_ImportKeyRequest__Output, _latchkey_v1_ImportKeyResponse>;
  
  ListAccounts: grpc.handleUnaryCall<_latchkey_v1_ListAccountsRequest__Output, _latchkey_v1_ListAccountsResponse>;
  
  ListKeys: grpc.handleUnaryCall<_latchkey_v1_ListKeysRequest__Output, _latchkey_v1_ListKeysResponse>;
  
  PurgeAccount: grpc.handleUnaryCall<_latchkey_v1_PurgeAccountRequest__Output, _latchkey_v1_PurgeAccountResponse>;
  
  PutAccount: grpc.handleUnaryCall<_latchkey_v1_PutAccountRequest__Output, _latchkey_v1_Account>;
  
  ReactivateAccount: grpc.handleUnaryCall<_latchkey_v1_ReactivateAccountRequest__Output, _latchkey_v1_Account>;
  
  RevokeKeys: grpc.handleUnaryCall<_latchkey_v1_RevokeKeysRequest__Output, _latchkey_v1_RevokeKeysResponse>;
  
  SuspendAccount: grpc.handleUnaryCall<_latchkey_v1_SuspendAccountRequest__Output, _latchkey_v1_Account>;
  
}

export interface AccountServiceDefinition extends grpc.ServiceDefinition {
  DeleteAccount: MethodDefinition<_latchkey_v1_DeleteAccountRequest, _latchkey_v1_Account, _latchkey_v1_DeleteAccountRequest__Output, _latchkey_v1_Account__Output>
  GetAccount: MethodDefinition<_latchkey_v1_GetAccountRequest, _latchkey_v1_Account, _latchkey_v1_GetAccountRequest__Output, _latchkey_v1_Account__Output>
  ImportKeys: MethodDefinition<_latchkey_v1_ImportKeyRequest, _latchkey_v1_ImportKeyResponse, _latchkey_v1_ImportKeyRequest__Output, _latchkey_v1_ImportKeyResponse__Output>
  ListAccounts: MethodDefinition<_latchkey_v1_ListAccountsRequest, _latchkey_v1_ListAccountsResponse, _latchkey_v1_ListAccountsRequest__Output, _latchkey_v1_ListAccountsResponse__Output>
  ListKeys: MethodDefinition<_latchkey_v1_ListKeysRequest, _latchkey_v1_ListKeysResponse, _latchkey_v1_ListKeysRequest__Output, _latchkey_v1_ListKeysResponse__Output>
  PurgeAccount: MethodDefinition<_latchkey_v1_PurgeAccountRequest, _latchkey_v1_PurgeAccountResponse, _latchkey_v1_PurgeAccountRequest__Output, _latchkey_v1_PurgeAccountResponse__Output>
  PutAccount: MethodDefinition<_latchkey_v1_PutAccountRequest, _latchkey_v1_Account, _latchkey_v1_PutAccountRequest__Output, _latchkey_v1_Account__Output>
  ReactivateAccount: MethodDefinition<_latchkey_v1_ReactivateAccountRequest, _latchkey_v1_Account, _latchkey_v1_ReactivateAccountRequest__Output, _latchkey_v1_Account__Output>
  RevokeKeys: MethodDefinition<_latchkey_v1_RevokeKeysRequest, _latchkey_v1_RevokeKeysResponse, _latchkey_v1_RevokeKeysRequest__Output, _latchkey_v1_RevokeKeysResponse__Output>
  SuspendAccount: MethodDefinition<_latchkey_v1_SuspendAccountRequest, _latchkey_v1_Account, _latchkey_v1_SuspendAccountRequest__Output, _latchkey_v1_Account__Output>
}
