import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Root } from 'protobufjs';

const require = createRequire(import.meta.url);
const protobuf = require('protobufjs') as typeof import('protobufjs');
const deps = join(dirname(require.resolve('@grpc/grpc-js-xds/package.json')), 'deps');

/** Where the gRPC project's own package for Node.js keeps Envoy's API: all of it, and none of it ours. */
export const ENVOY_API = ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((part) => join(deps, part));

const descriptor = require('protobufjs/google/protobuf/descriptor.json') as {
  nested: { google: { nested: { protobuf: { nested: object } } } };
};
// What the API's annotations extend; the rest of google/protobuf is known to protobufjs already.
protobuf.common('descriptor', descriptor.nested.google.nested.protobuf.nested);

/** @param camelCase as programs spell fields; otherwise as the files, and Envoy's configuration, do */
export function envoyApi(files: string[], { camelCase = false } = {}): Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, file) => {
    const found = ENVOY_API.map((folder) => join(folder, file)).find((path) => existsSync(path));
    return found ?? (protobuf.common.get(file) ? file : null);
  };
  root.loadSync(files, { keepCase: !camelCase }).resolveAll();
  return root;
}
