// `npm run generate`: what lists the settings, from src/config/settings.ts, and Python messages from proto/, for clients that
// are not built here. With --check: do the committed files match their sources, which are built already? The TypeScript types
// are made by the build (scripts/generate-types.mjs).
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { root } from './lib/paths.mjs';
import { step } from './lib/run.mjs';
import { settingsFiles } from './lib/settings.mjs';
import { main, Stop } from './lib/stop.mjs';

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
  return `# ${proto}, by \`npm run generate\`: do not edit.
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

await main(async () => {
  const isCheck = process.argv.includes('--check');
  if (!isCheck) await step('scripts/build.mjs', ['service']);
  const python = { 'examples/python/latchkey/v1/api_key_service_pb2.py': pythonModule() };
  for (const [path, text] of Object.entries({ ...python, ...(await settingsFiles()) })) {
    if (!isCheck) writeFileSync(join(root, path), text);
    else if (readFileSync(join(root, path), 'utf8') !== text) {
      throw new Stop(`${path} does not match proto/ or src/config/settings.ts: run \`npm run generate\`.`);
    }
  }
});
