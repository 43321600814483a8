// What is written from the rows of src/config/settings.ts: the tables of docs/configuration.md, .env.example, what
// docker-compose.yml passes on, and the variables in the values and the schema of the chart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'oxfmt';
import toRegexRange from 'to-regex-range';
import { root } from './paths.mjs';

const VALUES = 'deploy/helm/latchkey/values.yaml';
const SCHEMA = 'deploy/helm/latchkey/values.schema.json';

/** @typedef {ReturnType<typeof rowsOf>} Rows */

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8');

/** @param {Readonly<Record<string, Pick<import('../../src/config/setting.js').Setting<unknown>, 'facts' | 'fallback'>>>} table */
const rowsOf = (table) => Object.entries(table).map(([name, { fallback, facts }]) => ({ name, fallback, ...facts }));

/** The generated files, with their texts. @returns {Promise<Readonly<Record<string, string>>>} */
export async function settingsFiles() {
  const { SETTINGS, LAUNCHER_SETTINGS } = await import(pathToFileURL(join(root, 'dist/config/settings.js')).href);
  const [service, launchers] = [rowsOf(SETTINGS), rowsOf(LAUNCHER_SETTINGS)];
  return {
    'docs/configuration.md': await formatted('docs/configuration.md', page([service, launchers])),
    '.env.example': envExample([...service, ...launchers]),
    'docker-compose.yml': compose(service),
    [VALUES]: chartValues(service),
    [SCHEMA]: await formatted(SCHEMA, chartSchema(service)),
  };
}

/** @type {(path: string, text: string) => Promise<string>} */
const formatted = async (path, text) => (await format(path, text, JSON.parse(read('.oxfmtrc.json')))).code;

/** @param {readonly Rows[]} tables in the place of those on the page, in this order */
function page(tables) {
  const parts = tables.map((rows) => {
    const lines = rows.map(
      ({ name, fallback, or = 'none', means }) => `| \`${name}\` | ${fallback ? `\`${fallback}\`` : or} | ${means} |\n`,
    );
    return `| variable | default | meaning |\n| - | - | - |\n${lines.join('')}`;
  });
  return read('docs/configuration.md').replaceAll(/^\| variable .*\n(?:\|.*\n)+/gm, (table) => parts.shift() ?? table);
}

/** The comment with a row's meaning. @type {(row: Rows[number], more?: string, indent?: string) => string[]} */
function comment({ means }, more = '', indent = '') {
  const sentence = `${means}.${more}`.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const text = sentence.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return (text.match(/\S.{0,112}(?=\s|$)/g) ?? []).map((line) => `${indent}# ${line}`);
}

/** @param {Rows} rows */
function envExample(rows) {
  const head = `# Every variable, written by \`npm run generate\`; docs/configuration.md says more. \`npm start\` and \`docker compose\` read a
# file named .env next to this one, and so does \`node --env-file=.env dist/main.js\`. Variables of the environment have
# precedence. Lists are comma-separated. Uncomment what is to differ. Where no default is named, the value is the default.
`;
  const parts = rows.map((row) => {
    const showsDefault = row.fallback && !row.like;
    const more = showsDefault ? '' : ` Default: ${row.fallback || (row.or ?? 'none')}.`;
    return [...comment(row, more), `#${row.name}=${row.like || row.fallback}`, ''];
  });
  return [head, ...parts.flat()].join('\n');
}

/** The lines after the comment pass on each variable that is set nowhere else in the environment. @param {Rows} rows */
function compose(rows) {
  const text = read('docker-compose.yml');
  const [before = '', rest = ''] = text.split(/(?<=# Passed on unchanged if they are set: .*\n)/);
  const after = rest.slice(rest.indexOf('  volumes:\n'));
  const passed = rows.filter(({ name }) => !before.includes(`\n    ${name}: `));
  return `${before}${passed.map(({ name }) => `    ${name}:\n`).join('')}${after}`;
}

/** The variables that the chart's values have, with their defaults; empty where there is none. @param {Rows} rows */
function chartValues(rows) {
  const text = read(VALUES);
  const [section = ''] = text.match(/(?<=^env:\n)(?:  .*\n)+/m) ?? [];
  const lines = rows
    .filter(({ name }) => section.includes(`\n  ${name}:`))
    .flatMap((row) => [...comment(row, '', '  '), `  ${row.name}: '${row.fallback}'`]);
  return text.replace(section, () => `${lines.join('\n')}\n`);
}

/** Which numbers and words the variables may have, and which of them are secrets. @param {Rows} rows */
function chartSchema(rows) {
  const schema = JSON.parse(read(SCHEMA));
  const { env, secrets } = schema.properties;
  /** @type {string[]} */
  const refused = env.propertyNames.not.enum;
  for (const { name, range, words } of rows.filter((row) => !refused.includes(row.name))) {
    const [least, most] = range ?? [];
    const zero = name === 'LEASE_MS' ? '0|' : '';
    if (words) env.properties[name] = { enum: [...words, ''] };
    const description = `${zero && '0, or '}${least} to ${most}; empty: the default`;
    if (range) env.properties[name] = { type: 'string', description, pattern: `^(${zero}${toRegexRange(...range)})?$` };
  }
  const secret = rows.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  env.propertyNames.not.enum = [...secret, ...refused.filter((name) => !secret.includes(name))];
  secrets.properties = Object.fromEntries(secret.map((name) => [name, { $ref: '#/definitions/secret' }]));
  return JSON.stringify(schema, null, 2);
}
