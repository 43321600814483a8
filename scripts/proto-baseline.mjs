// proto-baseline/ is proto/ as it was last released. With --check: does proto/ still serve every client of that one?
// `npm run proto:release` makes proto/ the new baseline, once it does.
import './lib/node-version.mjs';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';
import { run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

const baseline = join(root, 'proto-baseline');
const buf = join(root, 'node_modules/@bufbuild/buf/bin/buf');

/**
 * By the rules of proto/buf.yaml. A copy to compare with needs neither a network nor a history, which a shallow clone lacks.
 * @param {string} [proto] the folder that is compared with the baseline
 * @throws {Stop} naming each change that a released client would not survive
 */
export async function requireCompatible(proto = join(root, 'proto')) {
  const { code, output } = await run(process.execPath, [buf, 'breaking', proto, '--against', baseline]);
  if (code !== 0) throw new Stop(`${output.trim()}\nReleased clients would break: add fields, never change them.`);
}

async function release() {
  await requireCompatible();
  rmSync(baseline, { recursive: true, force: true });
  cpSync(join(root, 'proto/latchkey'), join(baseline, 'latchkey'), { recursive: true });
  console.log('proto-baseline/ is what proto/ says now: commit it with the release.');
}

if (isMain(import.meta.url)) await main(process.argv.includes('--check') ? () => requireCompatible() : release);
