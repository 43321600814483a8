// `npm run generate`: what lists the settings, from src/config/settings.ts. With --check: do the committed files match it,
// which is built already? What follows from proto/ is made by the build (scripts/build.mjs).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { step } from './lib/run.mjs';
import { settingsFiles } from './lib/settings.mjs';
import { main, Stop } from './lib/stop.mjs';

await main(async () => {
  const isCheck = process.argv.includes('--check');
  if (!isCheck) await step('scripts/build.mjs', ['service']);
  for (const [path, text] of Object.entries(await settingsFiles())) {
    if (!isCheck) writeFileSync(join(root, path), text);
    else if (readFileSync(join(root, path), 'utf8') !== text) {
      throw new Stop(`${path} does not match src/config/settings.ts: run \`npm run generate\`.`);
    }
  }
});
