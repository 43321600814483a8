// Installs the packages when package-lock.json differs from what is installed. Imports nothing but Node: it runs first.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInstalled, noteInstalled } from './lib/installed.mjs';
import { isMain, root } from './lib/paths.mjs';
import { endWithParent, run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

async function install() {
  if (isInstalled(root)) return;
  console.log('Installing packages: about 700 MB, which can take minutes …');
  // NODE_ENV=production or an `omit` in the user's npm settings must not leave out packages that we need to build and
  // run.
  const all = ['--include=dev', '--include=optional'];
  // No package needs to run a program when it is installed.
  const { code, output } = await npm(['ci', ...all, '--ignore-scripts', '--no-audit', '--no-fund']);
  if (code !== 0) throw new Stop(`Installing packages failed: ${reasonIn(output)}`);
  noteInstalled(root);
}

/** @param {readonly string[]} args */
function npm(args) {
  const ofThisNode = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  // If possible, run npm's own file with this node: one process to end, and no shell (on Windows npm is npm.cmd).
  const cli = [process.env['npm_execpath'], ofThisNode].find(
    (file) => file?.endsWith('npm-cli.js') && existsSync(file),
  );
  if (cli) return run(process.execPath, [cli, ...args]);
  return run('npm', args, { shell: process.platform === 'win32' });
}

/**
 * The reason that npm gives, in one line.
 * @param {string} output
 */
function reasonIn(output) {
  const lines = output.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/i, '').trim());
  const code = lines.find((line) => line.startsWith('code '))?.slice('code '.length);
  const reasons = lines.filter((line) => line && !/^(code |npm warn|A complete log|errno |syscall )/i.test(line));
  const log = /\S+\.log$/m.exec(output)?.[0];
  return [[code, reasons[0]].filter(Boolean).join(': ') || 'npm ci failed', log && `full log: ${log}`]
    .filter(Boolean)
    .join(' | ');
}

if (isMain(import.meta.url)) {
  endWithParent();
  await main(install);
}
