// Generates the TypeScript types of both contracts in proto/, for the service and the guard. The build runs it
// (scripts/build.mjs), and Git ignores what it writes.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { root } from './lib/paths.mjs';
import { succeed } from './lib/run.mjs';
import { main } from './lib/stop.mjs';

const folder = join(root, 'src/infrastructure/inbound/grpc/generated');
const publicProto = 'latchkey/v1/api_key_service.proto';
const protos = [publicProto, 'latchkey/v1/account_service.proto', 'envoy/service/auth/v3/external_auth.proto'];

// The same options as the loader gets at run time, since the types describe what the loader makes.
const likeTheLoader = ['--longs=String', '--enums=String', '--defaults', '--oneofs'];
const flags = [...likeTheLoader, '--importFileExtension=.js', '--grpcLib=@grpc/grpc-js', '--includeDirs=proto'];

await main(async () => {
  const generator = join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
  await succeed(process.execPath, [generator, ...flags, `--outDir=${folder}`, ...protos]);
  writeFileSync(join(folder, 'contract.ts'), contractModule());
  writeFileSync(join(folder, 'types.ts'), typesModule());
});

/** All messages and enums of the contract under one name for each, so that a file imports them once. */
function typesModule() {
  const files = ['latchkey/v1', 'google/protobuf', 'envoy/service/auth/v3', 'envoy/config/core/v3'].flatMap((place) =>
    readdirSync(join(folder, place)).map((file) => `${place}/${file.replace(/\.ts$/, '.js')}`),
  );
  // A service has the name of its messages' file, and types of clients, which nobody uses here.
  const messages = files.filter((file) => !/(?:Service|Authorization)\.js$/.test(file));
  return messages.map((file) => `export type * from './${file}';\n`).join('');
}

/** The guard contains its contract as code, so that it needs no file at run time, wherever it is installed or bundled. */
function contractModule() {
  const json = JSON.stringify(protobuf.loadSync(join(root, 'proto', publicProto)).toJSON(), null, 2);
  return `/** ${publicProto} as protobufjs reads it. */\nexport const contract = ${json};\n`;
}
