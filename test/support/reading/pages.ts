import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';

const NOT_OURS = new Set(['node_modules', 'dist', 'coverage']);

export const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** Every Markdown page of the checkout, by its path. */
export function everyPage(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return path.endsWith('.md') ? [path] : [];
    return entry.isDirectory() && !entry.name.startsWith('.') && !NOT_OURS.has(entry.name) ? everyPage(path) : [];
  });
}

/**
 * The first block of code in `language` under a heading of a page, as a reader would paste it.
 * @param page its path under the checkout
 * @param heading its text, without the number signs
 * @throws when it has no such heading, or no such block before the next heading of any level
 */
export function snippetOf(page: string, heading: string, language: string): string {
  const title = heading.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const [, below] = textOf(page).split(new RegExp(`^#+ ${title}\n`, 'm'));
  const [block] = below?.matchAll(blockIn(language)) ?? [];
  if (!block || /^#{1,6} [A-Z]/m.test(below!.slice(0, block.index))) {
    throw new Error(`${page} has no block of ${language} under "${heading}"`);
  }
  return codeOf(block).replace(/\n$/, '');
}

/** Every block of code in `language` on a page, or in one of its sections, in order. */
export function blocksOf(page: string, language: string, section?: string): string[] {
  const [, within = ''] = section ? textOf(page).split(`\n## ${section}\n`) : ['', textOf(page)];
  const text = section ? within.split('\n## ')[0]! : within;
  return [...text.matchAll(blockIn(language))].map(codeOf);
}

const blockIn = (language: string) => new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\`$`, 'gm');

/** In a list a block is indented. */
function codeOf([, indent, code]: RegExpExecArray): string {
  return code!.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}
