import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.js';
import type { Account as _latchkey_v1_Account, Account__Output as _latchkey_v1_Account__Output } from './latchkey/v1/Account.js';
import type { AccountServiceClient as _latchkey_v1_AccountServiceClient, AccountServiceDefinition as _latchkey_v1_AccountServiceDefinition } from './latchkey/v1/AccountService.js';
import type { ApiKeyServiceClient as _latchkey_v1_ApiKeyServiceClient, ApiKeyServiceDefinition as _latchkey_v1_ApiKeyServiceDefinition } from './latchkey/v1/ApiKeyService.js';
import type { Attribute as _latchkey_v1_Attribute, Attribute__Output as _latchkey_v1_Attribute__Output } from './latchkey/v1/Attribute.js';
import type { Attributes as _latchkey_v1_Attributes, Attributes__Output as _latchkey_v1_Attributes__Output } from './latchkey/v1/Attributes.js';
import type { DeleteAccountRequest as _latchkey_v1_DeleteAccountRequest, DeleteAccountRequest__Output as _latchkey_v1_DeleteAccountRequest__Output } from './latchkey/v1/DeleteAccountRequest.js';
import type { Denial as _latchkey_v1_Denial, Denial__Output as _latchkey_v1_Denial__Output } from './latchkey/v1/Denial.js';
import type { Failure as _latchkey_v1_Failure, Failure__Output as _latchkey_v1_Failure__Output } from './latchkey/v1/Failure.js';
import type { GetAccountRequest as _latchkey_v1_GetAccountRequest, GetAccountRequest__Output as _latchkey_v1_GetAccountRequest__Output } from './latchkey/v1/GetAccountRequest.js';
import type { Grant as _latchkey_v1_Grant, Grant__Output as _latchkey_v1_Grant__Output } from './latchkey/v1/Grant.js';
import type { ImportKeyRequest as _latchkey_v1_ImportKeyRequest, ImportKeyRequest__Output as _latchkey_v1_ImportKeyRequest__Output } from './latchkey/v1/ImportKeyRequest.js';
import type { ImportKeyResponse as _latchkey_v1_ImportKeyResponse, ImportKeyResponse__Output as _latchkey_v1_ImportKeyResponse__Output } from './latchkey/v1/ImportKeyResponse.js';
import type { Key as _latchkey_v1_Key, Key__Output as _latchkey_v1_Key__Output } from './latchkey/v1/Key.js';
import type { KeyUses as _latchkey_v1_KeyUses, KeyUses__Output as _latchkey_v1_KeyUses__Output } from './latchkey/v1/KeyUses.js';
import type { Lease as _latchkey_v1_Lease, Lease__Output as _latchkey_v1_Lease__Output } from './latchkey/v1/Lease.js';
import type { LeaseWish as _latchkey_v1_LeaseWish, LeaseWish__Output as _latchkey_v1_LeaseWish__Output } from './latchkey/v1/LeaseWish.js';
import type { Limits as _latchkey_v1_Limits, Limits__Output as _latchkey_v1_Limits__Output } from './latchkey/v1/Limits.js';
import type { ListAccountsRequest as _latchkey_v1_ListAccountsRequest, ListAccountsRequest__Output as _latchkey_v1_ListAccountsRequest__Output } from './latchkey/v1/ListAccountsRequest.js';
import type { ListAccountsResponse as _latchkey_v1_ListAccountsResponse, ListAccountsResponse__Output as _latchkey_v1_ListAccountsResponse__Output } from './latchkey/v1/ListAccountsResponse.js';
import type { ListKeysRequest as _latchkey_v1_ListKeysRequest, ListKeysRequest__Output as _latchkey_v1_ListKeysRequest__Output } from './latchkey/v1/ListKeysRequest.js';
import type { ListKeysResponse as _latchkey_v1_ListKeysResponse, ListKeysResponse__Output as _latchkey_v1_ListKeysResponse__Output } from './latchkey/v1/ListKeysResponse.js';
import type { Managers as _latchkey_v1_Managers, Managers__Output as _latchkey_v1_Managers__Output } from './latchkey/v1/Managers.js';
import type { PurgeAccountRequest as _latchkey_v1_PurgeAccountRequest, PurgeAccountRequest__Output as _latchkey_v1_PurgeAccountRequest__Output } from './latchkey/v1/PurgeAccountRequest.js';
import type { PurgeAccountResponse as _latchkey_v1_PurgeAccountResponse, PurgeAccountResponse__Output as _latchkey_v1_PurgeAccountResponse__Output } from './latchkey/v1/PurgeAccountResponse.js';
import type { PutAccountRequest as _latchkey_v1_PutAccountRequest, PutAccountRequest__Output as _latchkey_v1_PutAccountRequest__Output } from './latchkey/v1/PutAccountRequest.js';
import type { RateLimit as _latchkey_v1_RateLimit, RateLimit__Output as _latchkey_v1_RateLimit__Output } from './latchkey/v1/RateLimit.js';
import type { ReactivateAccountRequest as _latchkey_v1_ReactivateAccountRequest, ReactivateAccountRequest__Output as _latchkey_v1_ReactivateAccountRequest__Output } from './latchkey/v1/ReactivateAccountRequest.js';
import type { ReportUsesRequest as _latchkey_v1_ReportUsesRequest, ReportUsesRequest__Output as _latchkey_v1_ReportUsesRequest__Output } from './latchkey/v1/ReportUsesRequest.js';
import type { ReportUsesResponse as _latchkey_v1_ReportUsesResponse, ReportUsesResponse__Output as _latchkey_v1_ReportUsesResponse__Output } from './latchkey/v1/ReportUsesResponse.js';
import type { RevokeKeysRequest as _latchkey_v1_RevokeKeysRequest, RevokeKeysRequest__Output as _latchkey_v1_RevokeKeysRequest__Output } from './latchkey/v1/RevokeKeysRequest.js';
import type { RevokeKeysResponse as _latchkey_v1_RevokeKeysResponse, RevokeKeysResponse__Output as _latchkey_v1_RevokeKeysResponse__Output } from './latchkey/v1/RevokeKeysResponse.js';
import type { SuspendAccountRequest as _latchkey_v1_SuspendAccountRequest, SuspendAccountRequest__Output as _latchkey_v1_SuspendAccountRequest__Output } from './latchkey/v1/SuspendAccountRequest.js';
import type { ValidateKeyRequest as _latchkey_v1_ValidateKeyRequest, ValidateKeyRequest__Output as _latchkey_v1_ValidateKeyRequest__Output } from './latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse as _latchkey_v1_ValidateKeyResponse, ValidateKeyResponse__Output as _latchkey_v1_ValidateKeyResponse__Output } from './latchkey/v1/ValidateKeyResponse.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
  latchkey: {
    v1: {
      AccessLevel: EnumTypeDefinition
      Account: MessageTypeDefinition<_latchkey_v1_Account, _latchkey_v1_Account__Output>
      AccountKind: EnumTypeDefinition
      AccountService: SubtypeConstructor<typeof grpc.Client, _latchkey_v1_AccountServiceClient> & { service: _latchkey_v1_AccountServiceDefinition }
      AccountStatus: EnumTypeDefinition
      ApiKeyService: SubtypeConstructor<typeof grpc.Client, _latchkey_v1_ApiKeyServiceClient> & { service: _latchkey_v1_ApiKeyServiceDefinition }
      Attribute: MessageTypeDefinition<_latchkey_v1_Attribute, _latchkey_v1_Attribute__Output>
      Attributes: MessageTypeDefinition<_latchkey_v1_Attributes, _latchkey_v1_Attributes__Output>
      DeleteAccountRequest: MessageTypeDefinition<_latchkey_v1_DeleteAccountRequest, _latchkey_v1_DeleteAccountRequest__Output>
      Denial: MessageTypeDefinition<_latchkey_v1_Denial, _latchkey_v1_Denial__Output>
      Failure: MessageTypeDefinition<_latchkey_v1_Failure, _latchkey_v1_Failure__Output>
      GetAccountRequest: MessageTypeDefinition<_latchkey_v1_GetAccountRequest, _latchkey_v1_GetAccountRequest__Output>
      Grant: MessageTypeDefinition<_latchkey_v1_Grant, _latchkey_v1_Grant__Output>
      ImportKeyRequest: MessageTypeDefinition<_latchkey_v1_ImportKeyRequest, _latchkey_v1_ImportKeyRequest__Output>
      ImportKeyResponse: MessageTypeDefinition<_latchkey_v1_ImportKeyResponse, _latchkey_v1_ImportKeyResponse__Output>
      Key: MessageTypeDefinition<_latchkey_v1_Key, _latchkey_v1_Key__Output>
      KeyRestriction: EnumTypeDefinition
      KeyStatus: EnumTypeDefinition
      KeyUses: MessageTypeDefinition<_latchkey_v1_KeyUses, _latchkey_v1_KeyUses__Output>
      Lease: MessageTypeDefinition<_latchkey_v1_Lease, _latchkey_v1_Lease__Output>
      LeaseWish: MessageTypeDefinition<_latchkey_v1_LeaseWish, _latchkey_v1_LeaseWish__Output>
      Limits: MessageTypeDefinition<_latchkey_v1_Limits, _latchkey_v1_Limits__Output>
      ListAccountsRequest: MessageTypeDefinition<_latchkey_v1_ListAccountsRequest, _latchkey_v1_ListAccountsRequest__Output>
      ListAccountsResponse: MessageTypeDefinition<_latchkey_v1_ListAccountsResponse, _latchkey_v1_ListAccountsResponse__Output>
      ListKeysRequest: MessageTypeDefinition<_latchkey_v1_ListKeysRequest, _latchkey_v1_ListKeysRequest__Output>
      ListKeysResponse: MessageTypeDefinition<_latchkey_v1_ListKeysResponse, _latchkey_v1_ListKeysResponse__Output>
      Managers: MessageTypeDefinition<_latchkey_v1_Managers, _latchkey_v1_Managers__Output>
      Operation: EnumTypeDefinition
      PurgeAccountRequest: MessageTypeDefinition<_latchkey_v1_PurgeAccountRequest, _latchkey_v1_PurgeAccountRequest__Output>
      PurgeAccountResponse: MessageTypeDefinition<_latchkey_v1_PurgeAccountResponse, _latchkey_v1_PurgeAccountResponse__Output>
      PutAccountRequest: MessageTypeDefinition<_latchkey_v1_PutAccountRequest, _latchkey_v1_PutAccountRequest__Output>
      RateLimit: MessageTypeDefinition<_latchkey_v1_RateLimit, _latchkey_v1_RateLimit__Output>
      ReactivateAccountRequest: MessageTypeDefinition<_latchkey_v1_ReactivateAccountRequest, _latchkey_v1_ReactivateAccountRequest__Output>
      Reason: EnumTypeDefinition
      ReportUsesRequest: MessageTypeDefinition<_latchkey_v1_ReportUsesRequest, _latchkey_v1_ReportUsesRequest__Output>
      ReportUsesResponse: MessageTypeDefinition<_latchkey_v1_ReportUsesResponse, _latchkey_v1_ReportUsesResponse__Output>
      RevokeKeysRequest: MessageTypeDefinition<_latchkey_v1_RevokeKeysRequest, _latchkey_v1_RevokeKeysRequest__Output>
      RevokeKeysResponse: MessageTypeDefinition<_latchkey_v1_RevokeKeysResponse, _latchkey_v1_RevokeKeysResponse__Output>
      SuspendAccountRequest: MessageTypeDefinition<_latchkey_v1_SuspendAccountRequest, _latchkey_v1_SuspendAccountRequest__Output>
      ValidateKeyRequest: MessageTypeDefinition<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyRequest__Output>
      ValidateKeyResponse: MessageTypeDefinition<_latchkey_v1_ValidateKeyResponse, _latchkey_v1_ValidateKeyResponse__Output>
    }
  }
}

