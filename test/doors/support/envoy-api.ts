import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Root } from 'protobufjs';

const require = createRequire(import.meta.url);
const protobuf = require('protobufjs') as typeof import('protobufjs');
const deps = join(dirname(require.resolve('@grpc/grpc-js-xds/package.json')), 'deps');

/** Where the gRPC project's package for Node.js keeps Envoy's API. It contains all of that API, and nothing of ours. */
export const ENVOY_API = ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((part) => join(deps, part));

const descriptor = require('protobufjs/google/protobuf/descriptor.json') as {
  nested: { google: { nested: { protobuf: { nested: object } } } };
};
// The files that the API's annotations extend. protobufjs knows the rest of google/protobuf already.
protobuf.common('descriptor', descriptor.nested.google.nested.protobuf.nested);

/** @param camelCase field names in camelCase, instead of the snake_case of the files and of Envoy's configuration */
export function envoyApi(files: string[], { camelCase = false } = {}): Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, file) => {
    const found = ENVOY_API.map((folder) => join(folder, file)).find((path) => existsSync(path));
    return found ?? (protobuf.common.get(file) ? file : null);
  };
  root.loadSync(files, { keepCase: !camelCase }).resolveAll();
  return root;
}
