// `npm run generate`: TypeScript types and Python messages from proto/. With --check: do the committed files match
// proto/?
import './lib/node-version.mjs';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import protobuf from 'protobufjs';
import { hashOf } from './lib/hash.mjs';
import { isMain, root } from './lib/paths.mjs';
import { run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

const guard = 'clients/node/src/generated';
const python = 'examples/python/latchkey';

/**
 * Each folder of generated code, and the contracts that it is generated from. @type {Readonly<Record<string, readonly
 * string[]>>}
 */
const targets = {
  'src/infrastructure/inbound/grpc/generated': [
    'latchkey/v1/api_key_service.proto',
    'latchkey/v1/account_service.proto',
  ],
  [guard]: ['latchkey/v1/api_key_service.proto'],
  [python]: ['latchkey/v1/api_key_service.proto'],
};

// The same options as the loader gets at run time, since the types describe what the loader makes.
const likeTheLoader = ['--longs=String', '--enums=String', '--defaults', '--oneofs'];
const flags = [...likeTheLoader, '--importFileExtension=.js', '--grpcLib=@grpc/grpc-js', '--includeDirs=proto'];

/**
 * @param {readonly string[]} protos
 * @param {string} outDir is emptied first, so that no file of a removed message stays
 */
async function generate(protos, outDir) {
  rmSync(outDir, { recursive: true, force: true });
  if (outDir.endsWith(python)) return generatePython(protos, dirname(outDir));
  const generator = join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
  const { code, output } = await run(process.execPath, [generator, ...flags, `--outDir=${outDir}`, ...protos]);
  if (code !== 0) throw new Stop(output.trim());
  if (outDir.endsWith(guard)) writeFileSync(join(outDir, 'contract.ts'), contractModule(protos));
}

/**
 * Writes what `protoc --python_out` writes, to the same place, so that nobody needs protoc: the contract's bytes, from
 * which Python's protobuf (3.20 or newer) makes the classes.
 * @param {readonly string[]} protos
 * @param {string} outDir
 */
async function generatePython(protos, outDir) {
  for (const proto of protos) {
    const file = join(outDir, proto.replace('.proto', '_pb2.py'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, pythonModule(proto, await descriptorOf(proto)));
  }
}

/**
 * @param {string} proto
 * @returns its FileDescriptorProto
 */
async function descriptorOf(proto) {
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

/**
 * @param {string} proto
 * @param {Uint8Array} descriptor
 */
function pythonModule(proto, descriptor) {
  const module = proto.replace('.proto', '_pb2').replaceAll('/', '.');
  const text = [...descriptor].map(inPython).join('');
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

/**
 * The guard contains the contract as code, so that it needs no file at run time, wherever it is installed or bundled.
 * @param {readonly string[]} protos
 */
function contractModule(protos) {
  const contract = new protobuf.Root();
  const { resolvePath } = contract;
  // protobufjs finds its own files (google/protobuf/…) by itself.
  contract.resolvePath = (origin, target) =>
    target.startsWith('google/') ? resolvePath(origin, target) : join(root, 'proto', target);
  contract.loadSync([...protos]);
  const json = JSON.stringify(contract.toJSON(), null, 2);
  return `/** ${protos.join(', ')} as protobufjs reads it. */\nexport const contract = ${json};\n`;
}

async function generateAll() {
  for (const [folder, protos] of Object.entries(targets)) await generate(protos, join(root, folder));
}

async function checkAll() {
  const temp = mkdtempSync(join(tmpdir(), 'latchkey-generated-'));
  try {
    for (const [folder, protos] of Object.entries(targets)) {
      await generate(protos, join(temp, folder));
      if (hashOf([folder], temp) === hashOf([folder], root)) continue;
      throw new Stop(`${folder} does not match proto/: run \`npm run generate\`.`);
    }
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) await main(process.argv.includes('--check') ? checkAll : generateAll);
