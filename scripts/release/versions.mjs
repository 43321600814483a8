// package.json names the version. The packages, the images, the chart and the pages repeat it. Run by itself, this
// refuses a place that differs, and a version that CHANGELOG.md does not describe. With a tag (`v0.3.0`), as in a CI
// that publishes, the tag has to name the same version. Between releases the version is the next one with `-dev`:
// `node scripts/release/versions.mjs --begin 0.4.0` writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from '../lib/paths.mjs';
import { main, Stop } from '../lib/stop.mjs';

const ofPackage = /(?<=^ {2}"version": ")[^"]+/gm;
const ofImages = /(?<=^ *image: latchkey[\w-]*:)\S+/gm;
const ofTarballs = /(?<=latchkey-(?:guard|panel)-)\d\S*(?=\.tgz)/g;
const ofModules = /(?<=<artifactId>latchkey-guard-parent<\/artifactId>\s*<version>)[^<]+/g;
/** Each file, and what in it is the version. @type {Readonly<Record<string, RegExp>>} */
const places = {
  'package.json': ofPackage,
  'package-lock.json': /(?<="name": "@?latchkey[\w/-]*",\s+"version": "|"@latchkey\/guard": ")[^"]+/g,
  'clients/node/package.json': ofPackage,
  'clients/java/pom.xml': ofModules,
  'clients/java/latchkey-guard/pom.xml': ofModules,
  'clients/java/latchkey-guard-servlet/pom.xml': ofModules,
  'clients/java/latchkey-guard-spring-boot-starter/pom.xml': ofModules,
  'clients/java/latchkey-guard-test/pom.xml': ofModules,
  'clients/java/README.md': /(?<=<artifactId>latchkey-guard[\w-]*<\/artifactId>\s*<version>)[^<]+/g,
  'clients/python/pyproject.toml': /(?<=^version = ")[^"]+/gm,
  'web/package.json': ofPackage,
  'examples/java-api/pom.xml': /(?<=<latchkey.version>)[^<]+/g,
  'examples/systems-api/package.json': /(?<="version": "|"@latchkey\/guard": ")[^"]+/g,
  Dockerfile: /(?<=image\.version=")[^"]+/g,
  'docker-compose.yml': ofImages,
  'docker-compose.failover.yml': ofImages,
  'deploy/helm/latchkey/Chart.yaml': /(?<=^version: |^appVersion: ')[^\s']+/gm,
  'README.md': ofTarballs,
  'clients/node/README.md': ofTarballs,
  'web/README.md': ofTarballs,
  'examples/panel-host/README.md': ofTarballs,
};
const changelog = 'CHANGELOG.md';
const BETWEEN_RELEASES = '-dev';
/** As each place spells a version: Maven knows one that is not released by its end. @type {(file: string, version: string) => string} */
const spelled = (file, version) => (/\bjava/.test(file) ? version.replace(BETWEEN_RELEASES, '-SNAPSHOT') : version);
/** What we publish to npm. */
export const packages = ['@latchkey/guard', '@latchkey/panel'];

/** @param {string} file */
const read = (file) => readFileSync(join(root, file), 'utf8');

/** @returns {string} */
export const currentVersion = () => JSON.parse(read('package.json')).version;

/** What the next release changes, as CHANGELOG.md lists it. */
export function unreleased() {
  const [, text] = /^## Unreleased\n([^]*?)(?=^## |$(?![^]))/m.exec(read(changelog)) ?? [];
  if (text === undefined)
    throw new Stop(`${changelog} has no section "## Unreleased": add it above the newest version.`);
  return text.trim();
}

/** @param {string} version @param {string} than a version, or the one before it */
export function isOlder(version, than) {
  return version.localeCompare(than.replace(BETWEEN_RELEASES, ''), 'en', { numeric: true }) < 0;
}

/** @param {string} version */
function writeVersion(version) {
  for (const [file, pattern] of Object.entries(places)) {
    writeFileSync(join(root, file), read(file).replaceAll(pattern, spelled(file, version)));
  }
}

/**
 * Writes a release's version to every place, and makes what is unreleased its section of CHANGELOG.md.
 * @param {string} version
 */
export function setVersion(version) {
  writeVersion(version);
  const section = `## Unreleased\n\n## ${version} - ${new Date().toISOString().slice(0, 10)}\n`;
  writeFileSync(join(root, changelog), read(changelog).replace('## Unreleased\n', section));
}

/** @param {string} [tag] @throws {Stop} naming each place with another version */
export function requireOneVersion(tag) {
  const version = currentVersion();
  const faults = Object.entries(places).flatMap(([file, pattern]) => {
    const found = read(file).match(pattern) ?? ['no version where one was'];
    return [...new Set(found)].filter((each) => each !== spelled(file, version)).map((each) => `  ${file}: ${each}`);
  });
  const [, described] = /^## (\d\S*) - \d{4}-\d\d-\d\d$/m.exec(read(changelog)) ?? [];
  const isBetween = version.endsWith(BETWEEN_RELEASES);
  const isDescribed = isBetween ? described && isOlder(described, version) : described === version;
  if (!isDescribed) faults.push(`  ${changelog}: the newest section is ${described ?? 'not a version'}`);
  if (!isBetween && unreleased() !== '') {
    faults.push(`  ${changelog}: something is unreleased, so the version is the next one with ${BETWEEN_RELEASES}`);
  }
  if (tag && isBetween) faults.push(`  the tag: ${version} is not a release`);
  if (tag && tag !== `v${version}`) faults.push(`  the tag: ${tag}`);
  if (faults.length === 0) return;
  throw new Stop(
    `package.json has the version ${version}. These differ:\n${faults.join('\n')}\n` +
      '`npm run release -- <version>` sets all of them, except a tag, and `node scripts/release/versions.mjs --begin <version>`\n' +
      'the next one.',
  );
}

if (isMain(import.meta.url)) {
  const [first, next] = process.argv.slice(2);
  await main(() => (first === '--begin' ? writeVersion(`${next}${BETWEEN_RELEASES}`) : requireOneVersion(first)));
}
