import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { ProtoGrpcType } from '../generated/api_key_service.js';

const file = 'latchkey/v1/api_key_service.proto';

/** Beside dist/ in the published package; at the top of the repository when this runs from source. */
const homes = ['../../proto', '../../../../proto'].map((home) => fileURLToPath(new URL(home, import.meta.url)));

/** Reads the public contract. The flags are those that src/generated was made with. */
export function loadContract(protoDir = homes.find((home) => existsSync(`${home}/${file}`))) {
  if (!protoDir) throw new Error(`${file} is neither in ${homes.join(' nor in ')}; run the build or give protoDir`);
  const definition = loadSync(file, {
    includeDirs: [protoDir],
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  return (loadPackageDefinition(definition) as unknown as ProtoGrpcType).latchkey.v1;
}
