import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { currentVersion } from '../../scripts/release/versions.mjs';
import { textOf } from '../support/reading/pages.js';

const folder = mkdtempSync(join(tmpdir(), 'release-'));
const clone = join(folder, 'latchkey');
const NEXT = '99.0.0';
/** No release, package or image contains them. */
const LEFT_OUT = ['test', 'docs', 'src', 'bench'].map((path) => `:!${path}`);
/** Not the variables that npm sets for the script that runs the tests. */
const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: tmpdir() };

async function inClone(command: string, ...args: string[]) {
  const { code, output } = await run(command, args, { cwd: clone, env });
  return { code, output };
}
const git = async (...args: string[]) => {
  const { code, output } = await inClone('git', ...args);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${output}`);
  return output;
};
const release = (...args: string[]) => inClone(process.execPath, 'scripts/release/release.mjs', ...args);
const versions = (...args: string[]) => inClone(process.execPath, 'scripts/release/versions.mjs', ...args);
const read = (file: string) => readFileSync(join(clone, file), 'utf8');

/** Replaces a text that must be there, and commits. */
async function commit(file: string, part: string, replacement: string) {
  const before = read(file);
  expect(before).toContain(part);
  writeFileSync(join(clone, file), before.replace(part, replacement));
  await git('commit', '--quiet', '--all', '--message', 'A change');
}

beforeAll(async () => {
  const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', '.', ...LEFT_OUT]);
  for (const file of listed.output
    .trim()
    .split('\n')
    .filter((each) => existsSync(join(root, each)))) {
    mkdirSync(join(clone, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(clone, file));
  }
  for (const modules of ['node_modules', 'web/node_modules'].filter((path) => existsSync(join(root, path))))
    symlinkSync(join(root, modules), join(clone, modules));
  await git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  await git('config', 'user.name', 'A maintainer');
  await git('config', 'user.email', 'maintainer@example.com');
  const changelog = read('CHANGELOG.md').replace(
    /^## Unreleased\n[^]*?(?=^## \d)/m,
    '## Unreleased\n\n### Fixed\n\n- A fault.\n\n',
  );
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Everything');
  await git('init', '--quiet', '--bare', join(folder, 'origin'));
  await git('remote', 'add', 'origin', join(folder, 'origin'));
  await git('push', '--quiet', '--set-upstream', 'origin', 'main');
});
afterEach(async () => {
  await git('reset', '--quiet', '--hard', 'origin/main');
  await git('clean', '--force', '-d', '--quiet');
  rmSync(join(clone, 'release'), { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run release', () => {
  it('packs the packages and lists the materials of the new version, and names it everywhere', async () => {
    await commit(
      'proto/latchkey/v1/api_key_service.proto',
      'string client_ip = 6;',
      'string client_ip = 6;\n  string x = 99;',
    );
    const { code, output } = await release(NEXT, '--without-tests');
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain('WITHOUT CHECKS AND TESTS, as you asked');
    expect(output).toContain(`git tag --annotate v${NEXT}`);

    expect(await versions(`v${NEXT}`)).toEqual({ code: 0, output: '' });
    expect(read('deploy/helm/latchkey/Chart.yaml')).toContain(`\nversion: ${NEXT}\nappVersion: '${NEXT}'\n`);
    expect(read('docker-compose.yml')).toContain(`image: latchkey:${NEXT}\n`);
    const day = new Date().toISOString().slice(0, 10);
    expect(read('CHANGELOG.md')).toContain(`## Unreleased\n\n## ${NEXT} - ${day}\n\n### Fixed\n\n- A fault.\n`);
    expect(read('proto-baseline/latchkey/v1/api_key_service.proto')).toContain('string x = 99;');

    expect(readdirSync(join(clone, 'release')).sort()).toEqual([
      `latchkey-guard-${NEXT}.tgz`,
      `latchkey-panel-${NEXT}.tgz`,
      'latchkey.cdx.json',
    ]);
    for (const [name, built] of [
      ['guard', 'dist/index.js'],
      ['panel', 'lib/dist/latchkey-panel.js'],
    ]) {
      const tarball = join('release', `latchkey-${name}-${NEXT}.tgz`);
      const manifest = await inClone('tar', '-xOzf', tarball, 'package/package.json');
      expect(JSON.parse(manifest.output)).toMatchObject({ name: `@latchkey/${name}`, version: NEXT });
      expect((await inClone('tar', '-tzf', tarball)).output).toContain(`package/${built}\n`);
    }
    const { metadata, components } = JSON.parse(read('release/latchkey.cdx.json'));
    expect(metadata.component.purl).toBe(`pkg:npm/latchkey@${NEXT}`);
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object };
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(names.filter((name: string) => /^(jest|typescript|vite|react)$/.test(name))).toEqual([]);
  }, 300_000);

  it('prints its steps and changes nothing with --dry-run', async () => {
    const { code, output } = await release(NEXT, '--without-tests', '--dry-run');
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output.match(/^Step \d of 5: /gm)).toHaveLength(5);
    expect(await git('status', '--porcelain')).toBe('');
    expect(existsSync(join(clone, 'release'))).toBe(false);
  });

  it('leaves the files as they were when a step fails', async () => {
    await commit('proto/latchkey/v1/api_key_service.proto', 'string client_ip = 6;', '');
    const { code, output } = await release(NEXT, '--without-tests');
    expect(code).toBe(1);
    expect(output).toContain('Released clients would break');
    expect(output).toContain('Nothing was released: the files are as they were.');
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('refuses a version that is not newer', async () => {
    for (const version of [currentVersion(), '0.0.9', 'v99.0.0', '99.0.0-rc.1', '']) {
      expect(await release(version)).toMatchObject({ code: 1, output: expect.stringContaining('newer than') });
    }
  });

  it('refuses a tree with changes', async () => {
    writeFileSync(join(clone, 'new.txt'), '');
    expect(await release(NEXT)).toMatchObject({ code: 1, output: expect.stringContaining('?? new.txt') });
  });

  it('refuses a branch that is behind, after it has looked at what the others pushed', async () => {
    await git('commit', '--quiet', '--allow-empty', '--message', 'By somebody else');
    await git('push', '--quiet', 'origin', 'main:main');
    await git('reset', '--quiet', '--hard', 'HEAD~1');
    await git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    const { code, output } = await release(NEXT);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('1 commits behind origin/main') });
  });

  it('refuses a branch that follows none', async () => {
    await git('checkout', '--quiet', '-b', 'alone');
    const { output } = await release(NEXT);
    await git('checkout', '--quiet', 'main');
    expect(output).toContain('--set-upstream-to');
  });

  it('refuses a version that has a tag', async () => {
    await git('tag', `v${NEXT}`);
    const { output } = await release(NEXT);
    await git('tag', '--delete', `v${NEXT}`);
    expect(output).toContain(`There is a tag v${NEXT} already`);
  });

  it('refuses to release nothing', async () => {
    await commit('CHANGELOG.md', '### Fixed\n\n- A fault.\n\n', '');
    expect((await release(NEXT, '--without-tests')).output).toContain('has nothing under "## Unreleased"');
  });

  it('says which Node is missing, and how to name it', async () => {
    const missing = process.versions.node.startsWith('24.') ? '20' : '24';
    const [none, wrong] = [await release(NEXT), await release(NEXT, '--other-node', process.execPath)];
    expect(none.output).toContain(`A release is tested on Node ${missing}, too`);
    expect(none.output).toContain('--other-node');
    expect(wrong.output).toContain(`${process.execPath} is not Node ${missing}: it said "${process.versions.node}"`);
  });
});

describe('the version', () => {
  it.each([
    ['deploy/helm/latchkey/Chart.yaml', "appVersion: '", "appVersion: '9"],
    ['docker-compose.yml', 'image: latchkey:', 'image: latchkey:9'],
    ['Dockerfile', 'image.version="', 'image.version="9'],
    ['package-lock.json', '"@latchkey/guard": "', '"@latchkey/guard": "9'],
    ['clients/node/README.md', 'latchkey-guard-', 'latchkey-guard-9'],
    ['web/package.json', '  "version": "', '  "version": "9'],
    ['CHANGELOG.md', `## ${currentVersion()} - `, '## 9.9.9 - '],
  ])('is the same in %s, or the check fails', async (file, part, replacement) => {
    await commit(file, part, replacement);
    expect(await versions()).toEqual({ code: 1, output: expect.stringContaining(`\n  ${file}: `) });
  });

  it('is that of the tag, when a tag is published', async () => {
    expect(await versions(`v${currentVersion()}`)).toEqual({ code: 0, output: '' });
    expect(await versions('v9.9.9')).toEqual({ code: 1, output: expect.stringContaining('the tag: v9.9.9') });
  });
});

describe('CHANGELOG.md', () => {
  const headings = [...textOf('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);

  it('begins with what is unreleased, then has each version with its day, newest first', () => {
    const [first, ...rest] = headings;
    expect(first).toBe('Unreleased');
    for (const each of rest) expect(each).toMatch(/^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/);
    expect(rest).toEqual([...rest].sort((one, other) => other.localeCompare(one, 'en', { numeric: true })));
  });

  it('has the sections of Keep a Changelog, and one about upgrading', () => {
    const sections = [...textOf('CHANGELOG.md').matchAll(/^### (.+)$/gm)].map(([, section]) => section!);
    const known = ['Upgrading', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    expect(sections.filter((section) => !known.includes(section))).toEqual([]);
  });
});
