// Original file: proto/latchkey/v1/api_key_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ReportUsesRequest as _latchkey_v1_ReportUsesRequest, ReportUsesRequest__Output as _latchkey_v1_ReportUsesRequest__Output } from '../../latchkey/v1/ReportUsesRequest.js';
import type { ReportUsesResponse as _latchkey_v1_ReportUsesResponse, ReportUsesResponse__Output as _latchkey_v1_ReportUsesResponse__Output } from '../../latchkey/v1/ReportUsesResponse.js';
import type { ValidateKeyRequest as _latchkey_v1_ValidateKeyRequest, ValidateKeyRequest__Output as _latchkey_v1_ValidateKeyRequest__Output } from '../../latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse as _latchkey_v1_ValidateKeyResponse, ValidateKeyResponse__Output as _latchkey_v1_ValidateKeyResponse__Output } from '../../latchkey/v1/ValidateKeyResponse.js';

export interface ApiKeyServiceClient extends grpc.Client {
  ReportUses(argument: _latchkey_v1_ReportUsesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  ReportUses(argument: _latchkey_v1_ReportUsesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  ReportUses(argument: _latchkey_v1_ReportUsesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  ReportUses(argument: _latchkey_v1_ReportUsesRequest, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  reportUses(argument: _latchkey_v1_ReportUsesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  reportUses(argument: _latchkey_v1_ReportUsesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  reportUses(argument: _latchkey_v1_ReportUsesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  reportUses(argument: _latchkey_v1_ReportUsesRequest, callback: grpc.requestCallback<_latchkey_v1_ReportUsesResponse__Output>): grpc.ClientUnaryCall;
  
  ValidateKey(argument: _latchkey_v1_ValidateKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  ValidateKey(argument: _latchkey_v1_ValidateKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  ValidateKey(argument: _latchkey_v1_ValidateKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  ValidateKey(argument: _latchkey_v1_ValidateKeyRequest, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  validateKey(argument: _latchkey_v1_ValidateKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  validateKey(argument: _latchkey_v1_ValidateKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  validateKey(argument: _latchkey_v1_ValidateKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  validateKey(argument: _latchkey_v1_ValidateKeyRequest, callback: grpc.requestCallback<_latchkey_v1_ValidateKeyResponse__Output>): grpc.ClientUnaryCall;
  
  ValidateKeys(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse__Output>;
  ValidateKeys(options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse__Output>;
  validateKeys(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse__Output>;
  validateKeys(options?: grpc.CallOptions): grpc.ClientDuplexStream<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse__Output>;
  
}

export interface ApiKeyServiceHandlers extends grpc.UntypedServiceImplementation {
  ReportUses: grpc.handleUnaryCall<_latchkey_v1_ReportUsesRequest__Output, _latchkey_v1_ReportUsesResponse>;
  
  ValidateKey: grpc.handleUnaryCall<_latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse>;
  
  ValidateKeys: grpc.handleBidiStreamingCall<_latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse>;
  
}

export interface ApiKeyServiceDefinition extends grpc.ServiceDefinition {
  ReportUses: MethodDefinition<_latchkey_v1_ReportUsesRequest, _latchkey_v1_ReportUsesResponse, _latchkey_v1_ReportUsesRequest__Output, _latchkey_v1_ReportUsesResponse__Output>
  ValidateKey: MethodDefinition<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse, _latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse__Output>
  ValidateKeys: MethodDefinition<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse, _latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse__Output>
}
