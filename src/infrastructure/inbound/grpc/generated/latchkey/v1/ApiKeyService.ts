// Original file: proto/latchkey/v1/api_key_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ValidateKeyRequest as _latchkey_v1_ValidateKeyRequest, ValidateKeyRequest__Output as _latchkey_v1_ValidateKeyRequest__Output } from '../../latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse as _latchkey_v1_ValidateKeyResponse, ValidateKeyResponse__Output as _latchkey_v1_ValidateKeyResponse__Output } from '../../latchkey/v1/ValidateKeyResponse.js';

export interface ApiKeyServiceClient extends grpc.Client {
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
  ValidateKey: grpc.handleUnaryCall<_latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse>;
  
  ValidateKeys: grpc.handleBidiStreamingCall<_latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse>;
  
}

export interface ApiKeyServiceDefinition extends grpc.ServiceDefinition {
  ValidateKey: MethodDefinition<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse, _latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse__Output>
  ValidateKeys: MethodDefinition<_latchkey_v1_ValidateKeyRequest, _latchkey_v1_ValidateKeyResponse, _latchkey_v1_ValidateKeyRequest__Output, _latchkey_v1_ValidateKeyResponse__Output>
}
