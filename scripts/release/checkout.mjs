import { rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';
import { packed } from './packages.mjs';
import { versioned } from './versions.mjs';

const baseline = 'proto-baseline';

/** @param {...string} args */
const git = (...args) => run('git', args);

/**
 * @param {string} tag of the release
 * @throws {Stop} when a commit of this checkout would not be what the others have, plus the release
 */
export async function requireCurrentBranch(tag) {
  const changes = (await git('status', '--porcelain')).output.trimEnd();
  if (changes !== '') throw new Stop(`The working tree has changes: commit them, or put them aside.\n${changes}`);
  if ((await git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}`)).code === 0)
    throw new Stop(`There is a tag ${tag} already: choose the next version.`);
  const upstream = await git('rev-parse', '--abbrev-ref', '@{upstream}');
  if (upstream.code !== 0)
    throw new Stop(
      'This branch follows none, so nobody can say whether it is behind: `git branch --set-upstream-to=origin/main`.',
    );
  const fetched = await git('fetch', '--quiet');
  if (fetched.code !== 0) throw new Stop(`git could not fetch what the others pushed:\n${fetched.output.trim()}`);
  const behind = (await git('rev-list', '--count', 'HEAD..@{upstream}')).output.trim();
  if (behind === '0') return;
  throw new Stop(`This branch is ${behind} commits behind ${upstream.output.trim()}: \`git pull --ff-only\`.`);
}

/** Undoes what a release changes. The tree was clean, so these files are as in the last commit again. */
export function restoreCheckout() {
  const { status } = spawnSync('git', ['restore', '--staged', '--worktree', ...versioned, baseline], { cwd: root });
  const cleaned = spawnSync('git', ['clean', '--force', '-d', '--quiet', baseline], { cwd: root });
  rmSync(join(root, packed), { recursive: true, force: true });
  console.error(
    status === 0 && cleaned.status === 0
      ? 'Nothing was released: the files are as they were.'
      : `Nothing was released. git could not undo the changes: \`git status\` shows them, \`git restore .\` undoes them.`,
  );
}
