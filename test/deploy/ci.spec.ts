import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { packages } from '../../scripts/release/versions.mjs';
import { textOf } from '../support/reading/pages.js';
import { Commands } from '../scripts/commands.js';
import type { Tree } from './chart.js';
import { readStages } from './dockerfile.js';

const GITHUB = 'deploy/ci/github.yml';
const GITLAB = 'deploy/ci/gitlab.yml';
const github: Tree = parse(textOf(GITHUB));
const gitlab: Tree = parse(textOf(GITLAB));
const manifest = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const commandsOf = (job: Tree): string[] =>
  (job['script'] ?? job['steps'].map(({ run: command }: Tree) => command)).filter(Boolean);
const jobs = (file: string): Record<string, Tree> =>
  file === GITHUB ? github['jobs'] : { test: gitlab['test'], packages: gitlab['packages'], images: gitlab['images'] };

describe.each([
  { file: GITHUB, tag: 'GITHUB_REF_NAME', images: 'IMAGES', commit: 'GITHUB_SHA', login: 'images.internal:5000' },
  { file: GITLAB, tag: 'CI_COMMIT_TAG', images: 'CI_REGISTRY_IMAGE', commit: 'CI_COMMIT_SHA', login: 'the-registry' },
])('$file', ({ file, tag, images, commit, login }) => {
  const { test: tests, packages: publish, images: build } = jobs(file) as Record<'test' | 'packages' | 'images', Tree>;
  const all = Object.values(jobs(file)).flatMap(commandsOf);

  test('names no registry and no other host', () => {
    expect(textOf(file)).not.toMatch(/:\/\/|[\w-]+\.(io|com|org|net|dev|cloud|app|internal)\b/i);
  });

  test('runs only scripts and files that exist', () => {
    const { scripts } = manifest('package.json');
    const run = all.flatMap((command) =>
      [...command.matchAll(/\bnpm (?:run (?:-s )?)?(\S+)/g)].map(([, name]) => name!),
    );
    expect(run).toContain('test');
    expect(run.filter((name) => !['ci', 'publish'].includes(name) && !(name in scripts))).toEqual([]);
    const files = all.flatMap((command) => [...command.matchAll(/\bnode (\S+)/g)].map(([, name]) => name!));
    expect(files).toContain('scripts/release/versions.mjs');
    expect(files.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  test('tests every change on Node 20 and 24, in Debian, where the tests install what they need', () => {
    expect(commandsOf(tests)).toContain('npm test');
    const nodes = tests['strategy']?.matrix.node ?? tests['parallel'].matrix[0].NODE;
    expect(nodes.map(String)).toEqual(['20', '24']);
    expect((tests['container'] ?? tests['image']).replace(/\$(NODE|\{\{ matrix\.node \}\})/, '24')).toBe(
      'node:24-bookworm',
    );
    expect(tests['if'] ?? tests['rules']).toBeUndefined();
  });

  test('publishes all that we publish, on a tag and after the tests', () => {
    const command = `npm publish ${packages.map((name) => `--workspace ${name}`).join(' ')}`;
    expect(commandsOf(publish)).toEqual(['npm ci --ignore-scripts', command]);
    for (const job of [publish, build]) {
      expect(job['needs'] ?? gitlab['stages'].slice(0, gitlab['stages'].indexOf(job['stage'])).join()).toBe('test');
      expect(job['if'] ?? job['rules'][0].if).toMatch(/^github\.ref_type == 'tag'|^\$CI_COMMIT_TAG =~ /);
    }
  });

  test('refuses a tag that is not the version', async () => {
    const command = commandsOf(tests).find((each) => each.includes('versions.mjs'))!;
    const withTag = (value: string) => run('sh', ['-c', command], { env: { ...process.env, [tag]: value } });
    expect(await withTag('v0.0.1')).toMatchObject({ code: 1, output: expect.stringContaining('the tag: v0.0.1') });
  });

  describe('with a stand-in for docker', () => {
    const commands = new Commands();
    let calls: string[];
    beforeAll(async () => {
      commands.provide('docker', 'echo "$@"; [ "$1" != login ] || cat');
      const own = {
        [images]: 'images.internal:5000/keys',
        [commit]: 'abc',
        [tag]: 'v1.2.3',
        CI_REGISTRY: 'the-registry',
      };
      const user = {
        IMAGES_USER: 'me',
        CI_REGISTRY_USER: 'me',
        IMAGES_PASSWORD: 'secret',
        CI_REGISTRY_PASSWORD: 'secret',
      };
      const env = { PATH: `${commands.folder}:/bin:/usr/bin`, ...own, ...user };
      const { output } = await run('sh', ['-ec', commandsOf(build).join('\n')], { env });
      calls = output.trim().split('\n');
    });
    afterAll(() => commands.remove());

    test('signs in by the CI’s own variables, with the password on standard input only', () => {
      expect(calls.slice(0, 2)).toEqual([`login --username me --password-stdin ${login}`, 'secret']);
    });

    test('builds and pushes each image at the version of the tag, labelled with the commit', () => {
      const names = ['latchkey', 'latchkey-systems-api'];
      const stages = readStages().map(({ name }) => name);
      expect(calls.slice(2)).toEqual(
        names.flatMap((name) => {
          const [image, target] = [`images.internal:5000/keys/${name}:1.2.3`, name.replace('latchkey-', '')];
          expect(stages).toContain(target);
          return [`build --build-arg REVISION=abc --target ${target} --tag ${image} .`, `push ${image}`];
        }),
      );
    });
  });
});

test('on GitHub only the job that publishes packages gets an identity, and every action has a major version', () => {
  expect(github['permissions']).toEqual({ contents: 'read' });
  const { test: tests, packages: publish, images } = github['jobs'];
  expect([tests.permissions, publish.permissions, images.permissions]).toEqual([
    undefined,
    { contents: 'read', 'id-token': 'write' },
    { contents: 'read', packages: 'write' },
  ]);
  const used = [...textOf(GITHUB).matchAll(/uses: (.*)/g)].map(([, action]) => action!);
  expect(used.length).toBeGreaterThan(3);
  for (const action of used) expect(action).toMatch(/^actions\/[a-z-]+@v\d+$/);
});

test('on GitLab only the job that publishes packages gets an identity, for an audience that the project sets', () => {
  expect(gitlab['packages'].id_tokens.NPM_ID_TOKEN).toEqual({ aud: '$NPM_AUDIENCE' });
  expect([gitlab['test'].id_tokens, gitlab['images'].id_tokens]).toEqual([undefined, undefined]);
});

const files = ['.github', '.devcontainer'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)),
);
const changes: Tree = parse(textOf('.github/workflows/changes.yml'));
const release: Tree = parse(textOf('.github/workflows/release.yml'));
const commandsIn = (job: Tree): string[] => job['steps'].map(({ run: command }: Tree) => command).filter(Boolean);

describe('the files for GitHub', () => {
  test.each(files)('%s names no registry and no other host', (file) => {
    expect(textOf(file)).not.toMatch(/https?:|\b[\w-]+\.(io|com|org|net|dev|cloud|app)\b/i);
  });

  test('pin every action by its commit', () => {
    const used = files.flatMap((file) =>
      [...textOf(file).matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action!),
    );
    expect(used.length).toBeGreaterThan(5);
    for (const action of used) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('run only scripts that exist, for every kind of tests', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    const { kind, node } = changes['jobs'].test.strategy.matrix;
    expect(node).toEqual([20, 24]);
    expect(commandsIn(changes['jobs'].test)).toContain('npm run test:${{ matrix.kind }}');
    for (const name of [...kind.map((each: string) => `test:${each}`), 'check']) expect(scripts).toHaveProperty([name]);
    const named = files.flatMap((file) => [...textOf(file).matchAll(/\bnode (scripts\S+?)(?=[\s"])/g)]);
    expect(named.length).toBeGreaterThan(2);
    for (const [, script] of named) expect(existsSync(join(root, script!))).toBe(true);
  });
});

describe('a release on GitHub', () => {
  const { version, tests, packages, images } = release['jobs'];

  test('is published after the tests, and only where a variable says', () => {
    expect(commandsIn(version)).toEqual(['node scripts/release/versions.mjs "$GITHUB_REF_NAME"']);
    expect(tests).toEqual({ needs: 'version', uses: './.github/workflows/changes.yml' });
    expect([packages, images].map((job) => [job.needs, job.if])).toEqual([
      ['tests', "vars.NPM_REGISTRY != ''"],
      ['tests', "vars.IMAGES != ''"],
    ]);
    expect(commandsIn(packages).at(-1)).toMatch(/^npm publish --provenance /);
  });

  describe('with stand-ins for docker, helm and cosign', () => {
    const commands = new Commands();
    let calls: string[];
    beforeAll(async () => {
      commands.provide('docker', 'echo "docker $@" >> calls; [ "$1" != inspect ] || echo "${4%:*}@sha256:image"');
      commands.provide('helm', 'echo "helm $@" >> calls; [ "$1" != push ] || echo "Digest: sha256:chart" >&2');
      commands.provide('cosign', 'echo "cosign $@" >> calls');
      const env = { IMAGES: 'images.internal/keys', IMAGES_USER: 'me', IMAGES_PASSWORD: 'secret' };
      const all = { ...env, GITHUB_REF_NAME: 'v1.2.3', GITHUB_SHA: 'abc', PATH: `${commands.folder}:/bin:/usr/bin` };
      const script = `${commandsIn(images).join('\n')}\ncat calls`;
      const { output } = await run('bash', ['-ec', script], { cwd: commands.folder, env: all });
      calls = output.trim().split('\n');
    });
    afterAll(() => commands.remove());

    test('signs the images and the chart by their digests, and attaches the bill of materials', () => {
      expect(calls.filter((call) => call.startsWith('cosign '))).toEqual([
        'cosign sign --yes images.internal/keys/latchkey@sha256:image',
        'cosign sign --yes images.internal/keys/latchkey-systems-api@sha256:image',
        'cosign attest --yes --type cyclonedx --predicate latchkey.cdx.json images.internal/keys/latchkey@sha256:image',
        'cosign sign --yes images.internal/keys/charts/latchkey@sha256:chart',
      ]);
      expect(calls).toContain('helm push latchkey-1.2.3.tgz oci://images.internal/keys/charts');
      expect(calls.join('\n')).not.toContain('secret');
    });
  });
});
