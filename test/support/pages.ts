import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

/**
 * The first block of code in `language` under a heading of a page, as a reader would paste it.
 * @param page its path under the checkout
 * @param heading its text, without the number signs
 * @throws when it has no such heading, or no such block before the next heading of any level
 */
export function snippetOf(page: string, heading: string, language: string): string {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start === -1) throw new Error(`${page} has no heading "${heading}"`);
  const fence = lines.indexOf(`\`\`\`${language}`, start);
  const nextHeading = lines.findIndex((line, index) => index > start && /^#{1,6} [A-Z]/.test(line));
  if (fence === -1 || (nextHeading !== -1 && nextHeading < fence)) {
    throw new Error(`${page} has no block of ${language} under "${heading}"`);
  }
  return lines.slice(fence + 1, lines.indexOf('```', fence + 1)).join('\n');
}
