import {
  type ChannelCredentials,
  type ClientOptions,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { Account__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/Account.js';
import type { PurgeAccountResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PurgeAccountResponse.js';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import type { RevokeKeysRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RevokeKeysRequest.js';
import type { RevokeKeysResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RevokeKeysResponse.js';
import type { ValidateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import type { ProtoGrpcType as AccountProto } from '#infrastructure/inbound/grpc/generated/account_service.js';
import type { ProtoGrpcType as ApiKeyProto } from '#infrastructure/inbound/grpc/generated/api_key_service.js';

const definition = loadSync(['latchkey/v1/api_key_service.proto', 'latchkey/v1/account_service.proto'], {
  includeDirs: ['proto'],
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
});
const { latchkey } = loadPackageDefinition(definition) as unknown as ApiKeyProto & AccountProto;

export interface Clients {
  /** Validates a key string; by default for READ without a permission. */
  validate(apiKey: string, request?: ValidateKeyRequest): Promise<ValidateKeyResponse__Output>;
  /** Sends the request unchanged. */
  validateRequest(request: ValidateKeyRequest): Promise<ValidateKeyResponse__Output>;
  putAccount(request: PutAccountRequest): Promise<Account__Output>;
  account(
    method: 'GetAccount' | 'SuspendAccount' | 'ReactivateAccount' | 'DeleteAccount',
    id: string,
    version?: number,
  ): Promise<Account__Output>;
  /** The number of keys that it ended. */
  purgeAccount(id: string, version?: number): Promise<number>;
  /** The number of keys that it ended. */
  revokeKeys(request: RevokeKeysRequest): Promise<number>;
  readonly apiKeys: InstanceType<typeof latchkey.v1.ApiKeyService>;
  readonly accounts: InstanceType<typeof latchkey.v1.AccountService>;
  close(): void;
}

export function bearer(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

export function connectClients(
  target: string,
  { validator = 'dev-validator-token', admin = 'dev-accounts-token' } = {},
  security: ChannelCredentials = credentials.createInsecure(),
  options: ClientOptions = {},
): Clients {
  const apiKeys = new latchkey.v1.ApiKeyService(target, security, options);
  const accounts = new latchkey.v1.AccountService(target, security, options);
  const validateRequest = (request: ValidateKeyRequest) =>
    answer<ValidateKeyResponse__Output>((done) => apiKeys.validateKey(request, bearer(validator), done));
  return {
    apiKeys,
    accounts,
    validateRequest,
    validate: (apiKey, request = {}) => validateRequest({ apiKey, operation: 'OPERATION_READ', ...request }),
    putAccount: (request) => answer((done) => accounts.putAccount(request, bearer(admin), done)),
    account: (method, id, version) =>
      answer((done) => accounts[method](version === undefined ? { id } : { id, version }, bearer(admin), done)),
    purgeAccount: async (id, version) => {
      const request = version === undefined ? { id } : { id, version };
      const purged = await answer<PurgeAccountResponse__Output>((done) =>
        accounts.purgeAccount(request, bearer(admin), done),
      );
      return purged.revokedKeys;
    },
    revokeKeys: async (request) => {
      const revoked = await answer<RevokeKeysResponse__Output>((done) =>
        accounts.revokeKeys(request, bearer(admin), done),
      );
      return revoked.revokedKeys;
    },
    close: () => {
      apiKeys.close();
      accounts.close();
    },
  };
}

/** Rejects with the ServiceError of a failed call. */
export function answer<T>(call: (done: (error: ServiceError | null, value?: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value!)));
  });
}
