// Writes the messages of the contract for examples/python. The build runs it (scripts/build.mjs), and Git ignores what it writes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import protobuf from 'protobufjs';
import { root } from './lib/paths.mjs';

const proto = 'latchkey/v1/api_key_service.proto';

/** @returns the FileDescriptorProto of the contract, in base64 */
function descriptor() {
  const buf = join(root, 'node_modules/@bufbuild/buf/bin/buf');
  const what = ['--as-file-descriptor-set', '--exclude-source-info', '--exclude-imports', `--path=proto/${proto}`];
  const set = protobuf.Reader.create(
    execFileSync(process.execPath, [buf, 'build', 'proto', ...what, '--output=-'], { cwd: root }),
  );
  set.uint32();
  return Buffer.from(set.bytes()).toString('base64');
}

/** Does what `protoc --python_out` writes: Python's protobuf (3.20 or newer) makes the classes from the contract's bytes. */
function pythonModule() {
  const module = proto.replace('.proto', '_pb2').replaceAll('/', '.');
  const lines = descriptor().match(/.{1,110}/g) ?? [];
  return `# ${proto}, by \`node scripts/build.mjs python\`.
from base64 import b64decode

from google.protobuf import descriptor_pool, duration_pb2, timestamp_pb2
from google.protobuf.internal import builder

DESCRIPTOR = descriptor_pool.Default().AddSerializedFile(b64decode(
${lines.map((line) => `    '${line}'`).join('\n')}
))
builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, '${module}', globals())
`;
}

const file = join(root, 'examples/python', proto.replace('.proto', '_pb2.py'));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, pythonModule());
