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

/** A page's text outside of its code blocks. */
export const proseOf = (page: string) => textOf(page).replaceAll(/^```.*\n[\s\S]*?^```$/gm, '');

/** A page's headings as GitHub's links name them. */
export function anchorsOf(page: string): string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text!.toLowerCase());
  return headings.map((text) => text.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

/**
 * The first block of code in `language` under a heading of a page, as a reader would paste it.
 * @param page its path under the checkout
 * @param heading its text, without the number signs
 * @throws when it has no such heading, or no such block before the next heading of any level
 */
export function snippetOf(page: string, heading: string, language: string): string {
  const lines = textOf(page).split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start === -1) throw new Error(`${page} has no heading "${heading}"`);
  const fence = lines.findIndex((line, index) => index > start && line.trim() === `\`\`\`${language}`);
  const nextHeading = lines.findIndex((line, index) => index > start && /^#{1,6} [A-Z]/.test(line));
  if (fence === -1 || (nextHeading !== -1 && nextHeading < fence)) {
    throw new Error(`${page} has no block of ${language} under "${heading}"`);
  }
  // In a list the block is indented.
  const indent = lines[fence]!.indexOf('`');
  const end = lines.findIndex((line, index) => index > fence && line.trim() === '```');
  return lines
    .slice(fence + 1, end)
    .map((line) => line.slice(indent))
    .join('\n');
}

/** Every block of code in `language` on a page, or in one of its sections, in order. */
export function blocksOf(page: string, language: string, section?: string): string[] {
  const [, within = ''] = section ? textOf(page).split(`\n## ${section}\n`) : ['', textOf(page)];
  const text = section ? within.split('\n## ')[0]! : within;
  const blocks = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\`$`, 'gm'));
  // In a list a block is indented.
  return [...blocks].map(([, indent, code]) => code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}
