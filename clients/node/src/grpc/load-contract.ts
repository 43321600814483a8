import { loadPackageDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { ProtoGrpcType } from '../generated/api_key_service.js';
import { contract } from '../generated/contract.js';

/** Loads the public contract, with the options that the types in src/generated were generated with. */
export function loadContract() {
  const json = contract as object as Parameters<typeof fromJSON>[0];
  const definition = fromJSON(json, { longs: String, enums: String, defaults: true, oneofs: true });
  return (loadPackageDefinition(definition) as unknown as ProtoGrpcType).latchkey.v1;
}
