// During a rolling upgrade, instances of the previous release run on a schema that this release has migrated. So a
// migration may only expand: add what old code need not know. A migration that removes, renames or tightens something
// contracts. It belongs to a later release, when no running release needs the old shape, and it says so in a comment
// `// contract: why`.
import './lib/node-version.mjs';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';
import { main, Stop } from './lib/stop.mjs';

const MIGRATIONS = join(root, 'src/infrastructure/outbound/postgres/migrations');

const CONTRACTIONS = [
  /\bDROP\s+(TABLE|COLUMN|VIEW)\b/i,
  /\bRENAME\b/i,
  /\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b/i,
  /\bSET\s+NOT\s+NULL\b/i,
  /\bADD\s+COLUMN\b(?![^,;`]*\bDEFAULT\b)[^,;`]*\bNOT\s+NULL\b/i,
  /\brunner\s*\.\s*(drop(Table|Column)s?|rename\w+|changeColumns?|clearTable)\b/,
];
const MARKER = /\/\/ contract: \S.{9,}/;

/**
 * @param {string} source of a migration
 * @returns {string[]} the statements of its `up` that may break old code; none if a marker says why they are safe
 */
export function contractionsIn(source) {
  if (MARKER.test(source)) return [];
  const up = source.slice(source.indexOf('async up('), source.indexOf('async down('));
  return CONTRACTIONS.flatMap((pattern) => pattern.exec(up)?.[0] ?? []);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const files = readdirSync(MIGRATIONS).filter((file) => /^\d+-.*\.ts$/.test(file));
    if (files.length === 0) throw new Stop(`There are no migrations in ${MIGRATIONS}.`);
    const found = files.flatMap((file) =>
      contractionsIn(readFileSync(join(MIGRATIONS, file), 'utf8')).map((what) => `  ${file}: ${what}`),
    );
    if (found.length === 0) return;
    throw new Stop(
      `These migrations may break instances of the previous release, which still run during an upgrade:\n${found.join('\n')}\n` +
        'Leave that to a later release, or say in a comment `// contract: why` why no running release needs it any more.',
    );
  });
}
