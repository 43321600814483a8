// `npm run generate`: what lists the settings, from src/config/settings.ts, and Python messages from proto/, for clients that
// are not built here. With --check: do the committed files match their sources, which are built already? The TypeScript types
// are made by the build (scripts/generate-types.mjs).
import './lib/node-version.mjs';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { isMain, root } from './lib/paths.mjs';
import { run, step } from './lib/run.mjs';
import { settingsFiles } from './lib/settings.mjs';
import { main, Stop } from './lib/stop.mjs';

const proto = 'latchkey/v1/api_key_service.proto';
const python = join(root, 'examples/python/latchkey/v1/api_key_service_pb2.py');

/** @returns the FileDescriptorProto of the contract */
async function descriptor() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-descriptor-'));
  try {
    const out = join(folder, 'set.binpb');
    const buf = join(root, 'node_modules/@bufbuild/buf/bin/buf');
    const what = ['--as-file-descriptor-set', '--exclude-source-info', '--exclude-imports', `--path=proto/${proto}`];
    const { code, output } = await run(process.execPath, [buf, 'build', 'proto', ...what, `--output=${out}`]);
    if (code !== 0) throw new Stop(output.trim());
    const set = protobuf.Reader.create(readFileSync(out));
    set.uint32();
    return set.bytes();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What `protoc --python_out` writes: the contract's bytes, from which Python's protobuf (3.20 or newer) makes the classes. */
async function pythonModule() {
  const module = proto.replace('.proto', '_pb2').replaceAll('/', '.');
  const text = [...(await descriptor())].map(inPython).join('');
  const lines = text.match(/(?:\\x..|\\.|[^\\]){1,100}/g) ?? [];
  return `# ${proto}, by \`npm run generate\`: do not edit.
from google.protobuf import descriptor_pool, duration_pb2, timestamp_pb2
from google.protobuf.internal import builder

DESCRIPTOR = descriptor_pool.Default().AddSerializedFile(
${lines.map((line) => `    b'${line}'`).join('\n')}
)
builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, '${module}', globals())
`;
}

/** @param {number} byte as it is written in Python between b' and ' */
function inPython(byte) {
  const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c;
  return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}

async function generate() {
  if ((await step('scripts/build.mjs', ['service']).code) !== 0) process.exit(1);
  writeFileSync(python, await pythonModule());
  for (const [path, text] of Object.entries(await settingsFiles())) writeFileSync(join(root, path), text);
}

async function check() {
  if (readFileSync(python, 'utf8') !== (await pythonModule())) {
    throw new Stop(`${python} does not match proto/: run \`npm run generate\`.`);
  }
  for (const [path, text] of Object.entries(await settingsFiles())) {
    if (readFileSync(join(root, path), 'utf8') === text) continue;
    throw new Stop(`${path} does not match src/config/settings.ts: run \`npm run generate\`.`);
  }
}

if (isMain(import.meta.url)) await main(process.argv.includes('--check') ? check : generate);
