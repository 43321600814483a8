// `npm run latchkey -- …`: the command line, with the settings and the database of `npm start`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runningDatabase } from './embedded-postgres.mjs';
import { root } from './lib/paths.mjs';
import { main, Stop } from './lib/stop.mjs';

await main(() => {
  const program = join(root, 'dist/composition/cli.js');
  if (!existsSync(program)) throw new Stop('Latchkey is not built: run npm start once, or npm ci and npm run build.');
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
  const url = process.env['DATABASE_URL'] || runningDatabase(process.env['DATA_DIR']);
  const env = { ...process.env, ...(url ? { DATABASE_URL: url } : {}) };
  // The program itself answers Ctrl+C.
  process.on('SIGINT', () => {});
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { env, stdio: 'inherit' });
  if (status !== 0 && !url) {
    console.error('Latchkey does not run from this checkout: npm start in another terminal, or set DATABASE_URL.');
  }
  process.exitCode = status ?? 1;
});
