import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const protobuf = createRequire(import.meta.url)('protobufjs') as typeof import('protobufjs');

export const PROTO_ROOT = fileURLToPath(new URL('../../../../proto', import.meta.url));

/** A file of proto/ with all that it imports. */
export function loadProto(file: string): import('protobufjs').Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(PROTO_ROOT, target);
  return root.loadSync(file);
}

/** The same as the generated types were made with. */
export const PROTO_OPTIONS = { longs: String, enums: String, defaults: true, oneofs: true, includeDirs: [PROTO_ROOT] };
