// What is written from the tables of docs/configuration.md, one row for each setting: .env.example, what
// docker-compose.yml passes on, and the chart's default values of variables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

const VALUES = 'deploy/helm/latchkey/values.yaml';

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8');

/**
 * Each row of both tables. A row may have several names; then it has a default and an example for each.
 * @returns the rows that the service reads, and those that only `npm start` and `docker compose` read
 */
export function readSettings() {
  const tables = read('docs/configuration.md').match(/(?:^\|.*\n)+/gm) ?? [];
  const [service = [], launchers = []] = tables.filter((table) => /^\| variable +\| default /.test(table)).map(rowsOf);
  return { service, launchers };
}

/** @param {string} table */
function rowsOf(table) {
  const lines = table.trim().split('\n').slice(2);
  return lines.map((line) => {
    const [names = '', fallback = '', example = '', text = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const fallbacks = inCode(names).length === 1 ? [fallback.replaceAll('`', '')] : fallback.split(' ');
    const examples = example === '' ? fallbacks : inCode(example);
    const settings = inCode(names).map((name, index) => ({ name, example: examples[index] ?? '' }));
    const meaning = withoutLinks(text).replace(/^[a-z]/, (letter) => letter.toUpperCase());
    return { settings, meaning, fallback: withoutLinks(fallback), showsDefault: example === '' };
  });
}

/** @param {string} cell */
const inCode = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '');

/** @param {string} cell */
const withoutLinks = (cell) => cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/**
 * @param {string} text
 * @param {string} indent
 */
const comment = (text, indent = '') => (text.match(/\S.{0,112}(?=\s|$)/g) ?? []).map((line) => `${indent}# ${line}`);

/** The generated files, with their texts. @returns {Readonly<Record<string, string>>} */
export function settingsFiles() {
  const { service, launchers } = readSettings();
  return {
    '.env.example': envExample([...service, ...launchers]),
    'docker-compose.yml': compose(service),
    [VALUES]: chartValues(service),
  };
}

/** @param {ReturnType<typeof rowsOf>} rows */
function envExample(rows) {
  const head = `# Every variable, written by \`npm run generate\` from docs/configuration.md, which says more. \`npm start\` and
# \`docker compose\` read a file named .env next to this one, and so does \`node --env-file=.env dist/main.js\`. Variables of
# the environment have precedence. Uncomment what is to differ. Where no default is named, the value is the default.
`;
  const parts = rows.map(({ settings, fallback, meaning, showsDefault }) => [
    ...comment(showsDefault ? `${meaning}.` : `${meaning}. Default: ${fallback}.`),
    ...settings.map(({ name, example }) => `#${name}=${example}`),
    '',
  ]);
  return [head, ...parts.flat()].join('\n');
}

/**
 * The lines after the comment pass on each variable that is set nowhere else in the environment.
 * @param {ReturnType<typeof rowsOf>} rows
 */
function compose(rows) {
  const text = read('docker-compose.yml');
  const [before = '', rest = ''] = text.split(/(?<=# Passed on unchanged if they are set: .*\n)/);
  const after = rest.slice(rest.indexOf('  volumes:\n'));
  const names = rows.flatMap(({ settings }) => settings.map(({ name }) => name));
  const passed = names.filter((name) => !before.includes(`\n    ${name}: `));
  return `${before}${passed.map((name) => `    ${name}:\n`).join('')}${after}`;
}

/**
 * The variables that the chart's values have, with their defaults; empty where there is none.
 * @param {ReturnType<typeof rowsOf>} rows
 */
function chartValues(rows) {
  const text = read(VALUES);
  const [section = ''] = text.match(/(?<=^env:\n)(?:  .*\n)+/m) ?? [];
  const names = [...section.matchAll(/^  ([A-Z_]+):/gm)].map(([, name]) => name);
  const lines = rows.flatMap(({ settings, meaning, showsDefault }) =>
    settings
      .filter(({ name }) => names.includes(name))
      .flatMap(({ name, example }) => [...comment(`${meaning}.`, '  '), `  ${name}: '${showsDefault ? example : ''}'`]),
  );
  return text.replace(section, () => `${lines.join('\n')}\n`);
}
