import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { copiesOf, type Stage } from './dockerfile.js';

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/**
 * Creates the folder of a stage of the Dockerfile, with the packages that its `npm ci` would install: those of the root,
 * without development packages, optional packages and workspaces. (The dependencies of workspaces are included, because
 * the lockfile does not mark them.)
 */
export function layOut(stage: Stage, folder: string): void {
  for (const { from, sources, target } of copiesOf(stage)) {
    for (const source of sources) {
      const path = from === undefined ? source : source.replace(/^\/app\//, '');
      if (path === 'node_modules') layOutPackages(folder);
      else cpSync(join(root, path), join(folder, target.endsWith('/') ? target + path : target), { recursive: true });
    }
  }
}

function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, optional, devOptional, link }]) => {
      return path.startsWith('node_modules/') && !dev && !optional && !devOptional && !link;
    })
    .map(([path]) => path);
}

/** A package inside another package is copied separately. */
function layOutPackages(folder: string): void {
  for (const path of productionPackages()) {
    if (!existsSync(join(root, path))) throw new Error(`${path} is not installed: run npm install`);
    layOutFolder(join(root, path), join(folder, path));
  }
}

function layOutFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') layOutFolder(source, target);
    } else if (!/\.(map|md|ts)$/.test(entry.name)) linkOrCopy(source, target);
  }
}

/** There are thousands of files. They are only read, so hard links are enough on the same disk. */
function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}
