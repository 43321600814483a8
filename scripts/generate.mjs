// `npm run generate`: TypeScript types from proto/. With --check: are the committed ones what proto/ says?
import './lib/node-version.mjs';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { hashOf } from './lib/hash.mjs';
import { isMain, root } from './lib/paths.mjs';
import { run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

const guard = 'clients/node/src/generated';

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
  const generator = join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
  const { code, output } = await run(process.execPath, [generator, ...flags, `--outDir=${outDir}`, ...protos]);
  if (code !== 0) throw new Stop(output.trim());
  if (outDir.endsWith(guard)) writeFileSync(join(outDir, 'contract.ts'), contractModule(protos));
}

/**
 * The guard contains the contract as code, so that it needs no file at run time, wherever it is installed or bundled.
 * @param {readonly string[]} protos
 */
function contractModule(protos) {
  const contract = new protobuf.Root();
  const { resolvePath } = contract;
  // protobufjs finds its own files (google/protobuf/…) without our help.
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
      throw new Stop(`${folder} is not what proto/ says: run \`npm run generate\`.`);
    }
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) await main(process.argv.includes('--check') ? checkAll : generateAll);
