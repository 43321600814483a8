// proto-baseline/ is the proto/ of the last release. With --check: does proto/ still work for every client of that
// release? `npm run release` makes proto/ the new baseline, if it does.
import './lib/node-version.mjs';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';
import { run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

const baseline = join(root, 'proto-baseline');
const buf = join(root, 'node_modules/@bufbuild/buf/bin/buf');

/**
 * Compares by the rules of proto/buf.yaml. The baseline is a copy: it needs no network and no git history, which a
 * shallow clone does not have.
 * @param {string} [proto] the folder that is compared with the baseline
 * @throws {Stop} naming each change that would break a released client
 */
export async function requireCompatible(proto = join(root, 'proto')) {
  const { code, output } = await run(process.execPath, [buf, 'breaking', proto, '--against', baseline]);
  if (code !== 0) throw new Stop(`${output.trim()}\nReleased clients would break: add fields, never change them.`);
}

/** Makes proto/ the contract of the last release. */
export async function moveBaseline() {
  await requireCompatible();
  rmSync(baseline, { recursive: true, force: true });
  cpSync(join(root, 'proto/latchkey'), join(baseline, 'latchkey'), { recursive: true });
}

if (isMain(import.meta.url)) await main(() => requireCompatible());
