// During a rolling upgrade, instances of the previous release run on a schema that this release migrates. So a migration
// may only expand: add what old code need not know. A migration that removes, renames or tightens something contracts.
// It belongs to a later release, when no running release needs the old shape, and it says so in a comment
// `// contract: why`. Nor may a migration hold up those instances: what it locks is locked until its transaction ends.
// One that has to says so in a comment `// locks: why`.
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

const LOCKS_MARKER = /\/\/ locks: \S.{9,}/;
const TABLE = String.raw`(?:ONLY\s+)?(?<table>[\w.]+|\$\{\w+\})`;

/** Statements that work on a table row by row while they lock it or its rows. */
const LONG_LOCKS = [
  String.raw`CREATE\s+(?:UNIQUE\s+)?INDEX\b[^;${'`'}]*?\bON\s+${TABLE}`,
  String.raw`UPDATE\s+${TABLE}\s+(?:AS\s+)?(?:\w+\s+)?SET\b`,
  String.raw`(?:DELETE\s+FROM|LOCK(?:\s+TABLE)?|REINDEX\s+\w+|CLUSTER|VACUUM(?:\s*\(?FULL\)?)?)\s+${TABLE}`,
  String.raw`ALTER\s+TABLE\s+${TABLE}[^;${'`'}]*\b(?:UNIQUE(?!\s+USING)|PRIMARY\s+KEY(?!\s+USING)|EXCLUDE|GENERATED|\w*SERIAL)\b`,
  String.raw`ALTER\s+TABLE\s+${TABLE}[^;${'`'}]*\b(?:CHECK|REFERENCES)\b(?![^;${'`'}]*\bNOT\s+VALID\b)`,
  // PostgreSQL rewrites the table for a default that differs from row to row.
  String.raw`ALTER\s+TABLE\s+${TABLE}[^;${'`'}]*\bDEFAULT\s+(?!now\()\w+\(`,
].map((pattern) => new RegExp(String.raw`\b${pattern}`, 'gi'));

/** Statements that lock a table for a moment, and hold the lock until the transaction ends. */
const LOCK = new RegExp(
  String.raw`\b(?:ALTER\s+TABLE|CREATE\s+TRIGGER\b[^;${'`'}]*?\bON)\s+(?:IF\s+EXISTS\s+)?${TABLE}`,
  'gi',
);

/**
 * @param {string} source of a migration
 * @returns {string[]} the statements of its `up` that may break old code; none if a marker says why they are safe
 */
export function contractionsIn(source) {
  if (MARKER.test(source)) return [];
  return CONTRACTIONS.flatMap((pattern) => pattern.exec(upOf(source))?.[0] ?? []);
}

/**
 * @param {string} source of a migration
 * @returns {string[]} what of its `up` may hold up other instances; none if a marker says why it does not
 */
export function longLocksIn(source) {
  if (LOCKS_MARKER.test(source)) return [];
  const up = upOf(source);
  const made = new Set(
    [...up.matchAll(/\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.]+)/gi)].map((match) => match[1]),
  );
  /** @param {RegExp} pattern */
  const onExisting = (pattern) => [...up.matchAll(pattern)].filter(({ groups }) => !made.has(groups?.['table']));
  const locked = new Set(onExisting(LOCK).map(({ groups }) => groups?.['table']));
  const isIndex = /\bcreateIndex\(/.test(up);
  return [
    ...LONG_LOCKS.flatMap(onExisting).map(([statement]) => statement.replace(/\s+/g, ' ')),
    ...(locked.size > 1 ? [`locks ${[...locked].join(' and ')}: make a migration for each table`] : []),
    ...(/\block_timeout\b/i.test(up) ? ['sets lock_timeout, which migrate.ts does'] : []),
    ...(isIndex === /\btransaction = false\b/.test(source) ? [] : ['createIndex belongs with `transaction = false`']),
    ...(isIndex && /\.query\(/.test(up) ? ['createIndex and other statements: make a migration of each'] : []),
  ];
}

/** What a migration does, with the functions that it calls, and without what reverts it. @param {string} source */
function upOf(source) {
  return source.replace(/^ {2}async down\([^]*?^ {2}\}$/m, '').replace(/^\s*(\/\/|\/?\*).*$/gm, '');
}

const ADVICE = `Removing, renaming or tightening belongs to a later release, or say in a comment \`// contract: why\` why no running
release needs it any more. Build an index with createIndex, change rows in batches elsewhere, add a constraint NOT VALID, or say in
a comment \`// locks: why\` why nothing waits for it.`;

if (isMain(import.meta.url)) {
  await main(() => {
    const files = readdirSync(MIGRATIONS).filter((file) => /^\d+-.*\.ts$/.test(file));
    const faults = files.flatMap((file) => {
      const source = readFileSync(join(MIGRATIONS, file), 'utf8');
      return [
        ...contractionsIn(source).map((what) => `  ${file} may break instances of the previous release: ${what}`),
        ...longLocksIn(source).map((what) => `  ${file} may hold up running instances: ${what}`),
      ];
    });
    if (faults.length > 0) throw new Stop(`During an upgrade\n${faults.join('\n')}\n${ADVICE}`);
  });
}
