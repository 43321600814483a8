import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.js';
import type { ApiKeyServiceClient as _latchkey_v1_ApiKeyServiceClient, ApiKeyServiceDefinition as _latchkey_v1_ApiKeyServiceDefinition } from './latchkey/v1/ApiKeyService.js';
import type { Attribute as _latchkey_v1_Attribute, Attribute__Output as _latchkey_v1_Attribute__Output } from './latchkey/v1/Attribute.js';
import type { Denial as _latchkey_v1_Denial, Denial__Output as _latchkey_v1_Denial__Output } from './latchkey/v1/Denial.js';
import type { Failure as _latchkey_v1_Failure, Failure__Output as _latchkey_v1_Failure__Output } from './latchkey/v1/Failure.js';
import type { Grant as _latchkey_v1_Grant, Grant__Output as _latchkey_v1_Grant__Output } from './latchkey/v1/Grant.js';
import type { KeyUses as _latchkey_v1_KeyUses, KeyUses__Output as _latchkey_v1_KeyUses__Output } from './latchkey/v1/KeyUses.js';
import type { Lease as _latchkey_v1_Lease, Lease__Output as _latchkey_v1_Lease__Output } from './latchkey/v1/Lease.js';
import type { LeaseWish as _latchkey_v1_LeaseWish, LeaseWish__Output as _latchkey_v1_LeaseWish__Output } from './latchkey/v1/LeaseWish.js';
import type { RateLimit as _latchkey_v1_RateLimit, RateLimit__Output as _latchkey_v1_RateLimit__Output } from './latchkey/v1/RateLimit.js';
import type { ReportUsesRequest as _latchkey_v1_ReportUsesRequest, ReportUsesRequest__Output as _latchkey_v1_ReportUsesRequest__Output } from './latchkey/v1/ReportUsesRequest.js';
import type { ReportUsesResponse as _latchkey_v1_ReportUsesResponse, ReportUsesResponse__Output as _latchkey_v1_ReportUsesResponse__Output } from './latchkey/v1/ReportUsesResponse.js';
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
      ApiKeyService: SubtypeConstructor<typeof grpc.Client, _latchkey_v1_ApiKeyServiceClient> & { service: _latchkey_v1_ApiKeyServiceDefinition }
      Attribute: MessageTypeDefinition<_latchkey_v1_Attribute, _latchkey_v1_Attribute__Output>
      Denial: MessageTypeDefinition<_latchkey_v1_Denial, _latchkey_v1_Denial__Output>
      Failure: MessageTypeDefinition<_latchkey_v1_Failure, _latchkey_v1_Failure__Output>
      Grant: MessageTypeDefinition<_latchkey_v1_Grant, _latchkey_v1_Grant__Output>
      KeyRestriction: EnumTypeDefinition
      KeyUses: MessageTypeDefinition<_latchkey_v1_KeyUses, _latchkey_v1_KeyUses__Output>
      Lease: MessageTypeDefinition<_latchkey_v1_Lease, _latchkey_v1_Lease__Output>
      LeaseWish: MessageTypeDefinition<_latchkey_v1_LeaseWish, _latchkey_v1_LeaseWish__Output>
      Operation: EnumTypeDefinition
      RateLimit: MessageTypeDefinition<_latchkey_v1_RateLimit, _latchkey_v1_RateLimit__Output>
      Reason: EnumTypeDefinition
      ReportUsesRequest: MessageTypeDefinition<_latchkey_v1_ReportUsesRequest, _latchkey_v1_ReportUsesRequest__Output>
      ReportUsesResponse: MessageTypeDefinition<_latchkey_v1_ReportUsesResponse, _latchkey_v1_ReportUsesResponse__Output>
      ValidateKeyRequest: MessageTypeDefinition<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyRequest__Output>
      ValidateKeyResponse: MessageTypeDefinition<_latchkey_v1_ValidateKeyResponse, _latchkey_v1_ValidateKeyResponse__Output>
    }
  }
}

