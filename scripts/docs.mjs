// `npm run docs`: builds the pages of docs/ as a site with search, into docs/.vitepress/dist, and checks their links.
// VitePress is installed in docs/.vitepress, by this command alone.
import './lib/node-version.mjs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

const folder = join(root, 'docs/.vitepress');

await main(async () => {
  console.log('Installing VitePress in docs/.vitepress: about 100 MB …');
  const options = { cwd: folder, shell: process.platform === 'win32' };
  const installed = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
  if (installed.code !== 0)
    throw new Stop(`${installed.output.trim()}\nInstalling VitePress failed: npm says why above.`);
  const built = await run(process.execPath, [join(folder, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'docs']);
  if (built.code !== 0) throw new Stop(`${built.output.trim()}\nThe site was not built: VitePress says why above.`);
  console.log('The site is in docs/.vitepress/dist: any web server can serve it.');
});
