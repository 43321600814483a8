import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { textOf } from '../support/reading/pages.js';
import { Commands } from '../scripts/commands.js';
import type { Tree } from './chart.js';

const files = ['.github', '.devcontainer'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)),
);
const changes: Tree = parse(textOf('.github/workflows/changes.yml'));
const release: Tree = parse(textOf('.github/workflows/release.yml'));
const commandsOf = (job: Tree): string[] => job['steps'].map(({ run: command }: Tree) => command).filter(Boolean);

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
    expect(commandsOf(changes['jobs'].test)).toContain('npm run test:${{ matrix.kind }}');
    for (const name of [...kind.map((each: string) => `test:${each}`), 'check']) expect(scripts).toHaveProperty([name]);
    const named = files.flatMap((file) => [...textOf(file).matchAll(/\bnode (scripts\S+?)(?=[\s"])/g)]);
    expect(named.length).toBeGreaterThan(2);
    for (const [, script] of named) expect(existsSync(join(root, script!))).toBe(true);
  });
});

describe('a release on GitHub', () => {
  const { version, tests, packages, images } = release['jobs'];

  test('is published after the tests, and only where a variable says', () => {
    expect(commandsOf(version)).toEqual(['node scripts/release/versions.mjs "$GITHUB_REF_NAME"']);
    expect(tests).toEqual({ needs: 'version', uses: './.github/workflows/changes.yml' });
    expect([packages, images].map((job) => [job.needs, job.if])).toEqual([
      ['tests', "vars.NPM_REGISTRY != ''"],
      ['tests', "vars.IMAGES != ''"],
    ]);
    expect(commandsOf(packages).at(-1)).toMatch(/^npm publish --provenance /);
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
      const script = `${commandsOf(images).join('\n')}\ncat calls`;
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
