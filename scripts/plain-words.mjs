// Refuses words that have no plain use in this project, in every file that a person reads. Names count as well: the
// parts of camelCase and snake_case names are words.
import './lib/node-version.mjs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';
import { run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

/** What to write instead of each word. */
const INSTEAD = {
  told: 'notified, sent, reported or recorded',
  teller: 'the name of what it does: sender, notifier, reporter',
  'in vain': 'failed, or without success',
  dearest: 'most expensive, or slowest',
  whoever: 'the caller that, or anyone who',
  anew: 'again',
  afresh: 'again, or from the database',
  thereof: 'of it',
  hence: 'so',
  lest: 'so that … not',
  'goes on': 'keeps working, stays valid or continues',
  'by halves': 'partly, or incompletely',
};
const WORDS = new RegExp(`\\b(${Object.keys(INSTEAD).join('|')})\\b`, 'gi');

/** Names that are stored or public (`toldAt` is in the JSON of `latchkey events list`), so they stay. */
const STORED = /\b(told_notices(_pkey)?|told_at|told_on|network_told_on|toldAt|ToldNotices1764325000000)\b/g;
/** What was released, and the two files that have to contain the words. */
const EXEMPT = [/^proto-baseline\//, /^(scripts|test\/scripts)\/plain-words\./, /(^|\/)package-lock\.json$/];
const TEXT =
  /\.(ts|tsx|mts|mjs|cjs|js|css|html|md|json|ya?ml|py|proto|sh|sql|conf|cfg|service|toml|lua|vcl|tpl|txt)$|(^|\/)(Caddyfile|Dockerfile|Makefile)[^/]*$/;

/**
 * @param {string} text
 * @returns {{ line: number, word: string, instead: string }[]}
 */
export function wordsIn(text) {
  return text.split('\n').flatMap((line, index) => {
    const words = line
      .replaceAll(STORED, '')
      .replaceAll(/([a-z\d])(?=[A-Z])/g, '$1 ')
      .replaceAll(/[_-]/g, ' ');
    return [...words.matchAll(WORDS)].map(([found]) => {
      const word = /** @type {keyof typeof INSTEAD} */ (found.toLowerCase());
      return { line: index + 1, word, instead: INSTEAD[word] };
    });
  });
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { code, output } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
    });
    if (code !== 0) throw new Stop(`git could not list the files: ${output.trim()}`);
    const files = output.split('\n').filter((file) => TEXT.test(file) && !EXEMPT.some((exempt) => exempt.test(file)));
    const found = files.flatMap((file) => [
      ...wordsIn(file).map((each) => ({ ...each, place: file })),
      ...wordsIn(readFileSync(join(root, file), 'utf8')).map((each) => ({ ...each, place: `${file}:${each.line}` })),
    ]);
    if (found.length === 0) return;
    const lines = found.map(({ place, word, instead }) => `  ${place}: “${word}”. Better: ${instead}.`);
    throw new Stop(`${found.length} words are hard to read:\n${lines.join('\n')}\nCONTRIBUTING.md has the vocabulary.`);
  });
}
