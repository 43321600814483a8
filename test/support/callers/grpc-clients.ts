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
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import type { RevokeKeysRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RevokeKeysRequest.js';
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

export type Clients = ReturnType<typeof connectClients>;

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
) {
  const apiKeys = new latchkey.v1.ApiKeyService(target, security, options);
  const accounts = new latchkey.v1.AccountService(target, security, options);
  const asAdmin = bearer(admin);
  const named = (id: string, version?: number) => (version === undefined ? { id } : { id, version });
  /** Sends the request unchanged. */
  const validateRequest = (request: ValidateKeyRequest) =>
    answer<ValidateKeyResponse__Output>((done) => apiKeys.validateKey(request, bearer(validator), done));
  return {
    apiKeys,
    accounts,
    validateRequest,
    /** Validates a key string; by default for READ without a permission. */
    validate: (apiKey: string, request: ValidateKeyRequest = {}) =>
      validateRequest({ apiKey, operation: 'OPERATION_READ', ...request }),
    putAccount: (request: PutAccountRequest) =>
      answer<Account__Output>((done) => accounts.putAccount(request, asAdmin, done)),
    account: (
      method: 'GetAccount' | 'SuspendAccount' | 'ReactivateAccount' | 'DeleteAccount',
      id: string,
      version?: number,
    ) => answer<Account__Output>((done) => accounts[method](named(id, version), asAdmin, done)),
    /** The number of keys that it ended. */
    purgeAccount: (id: string, version?: number) =>
      answer<Ended>((done) => accounts.purgeAccount(named(id, version), asAdmin, done)).then(endedKeys),
    /** The number of keys that it ended. */
    revokeKeys: (request: RevokeKeysRequest) =>
      answer<Ended>((done) => accounts.revokeKeys(request, asAdmin, done)).then(endedKeys),
    close: () => {
      apiKeys.close();
      accounts.close();
    },
  };
}

interface Ended {
  readonly revokedKeys: number;
}
const endedKeys = ({ revokedKeys }: Ended) => revokedKeys;

/** Rejects with the ServiceError of a failed call. */
export function answer<T>(call: (done: (error: ServiceError | null, value?: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value!)));
  });
}
