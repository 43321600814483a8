import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { hashOf } from '../../scripts/lib/hash.mjs';
import { run, step } from '../../scripts/lib/run.mjs';
import { ensureTools } from '../../scripts/tools.mjs';

const bench = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(bench, 'node_modules', '.installed');

/** Installs and builds the service, the benchmark's own packages, h2load and Redis. */
export async function prepare() {
  for (const script of ['scripts/install.mjs', 'scripts/build.mjs']) {
    if ((await step(script).code) !== 0) process.exit(1);
  }
  await ensureTools({
    'redis-server': { debian: 'redis-server', neededBy: 'the bench' },
    h2load: { debian: 'nghttp2-client', neededBy: 'the load of the bench' },
  });
  const lock = hashOf(['bench/package-lock.json']);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.log('Installing what is compared with …');
  const { code, output } = await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: bench });
  if (code !== 0) throw new Error(output.trim());
  writeFileSync(stamp, lock);
}
