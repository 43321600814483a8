import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ReleaseClone } from './release-clone.js';

const NEXT = '99.0.0';
/** For the tests, of which one fails on the other Node. */
const STAND_IN = `
console.log('the stand-in on ' + (process.env.OTHER ?? 'this one') + ', CI=' + process.env.CI);
process.send({ passed: 1, failed: process.env.OTHER ? 1 : 0 }, () => process.exit());`;
let clone: ReleaseClone;
beforeAll(async () => void (clone = await ReleaseClone.make()));
afterEach(() => clone.reset());
afterAll(() => clone.remove());

describe('npm run release', () => {
  it('packs the packages and lists the materials of the new version, and names it everywhere', async () => {
    await clone.commit(
      'proto/latchkey/v1/api_key_service.proto',
      'string client_ip = 6;',
      'string client_ip = 6;\n  string x = 99;',
    );
    const { code, output } = await clone.release(NEXT, '--without-tests');
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain('WITHOUT CHECKS AND TESTS, as you asked');
    expect(output).toContain(`git tag --annotate v${NEXT}`);
    expect(output).toContain('scripts/release/versions.mjs --begin 99.1.0');

    expect(await clone.versions(`v${NEXT}`)).toEqual({ code: 0, output: '' });
    expect(clone.read('deploy/helm/latchkey/Chart.yaml')).toContain(`\nversion: ${NEXT}\nappVersion: '${NEXT}'\n`);
    expect(clone.read('docker-compose.yml')).toContain(`image: latchkey:${NEXT}\n`);
    const day = new Date().toISOString().slice(0, 10);
    expect(clone.read('CHANGELOG.md')).toContain(`## Unreleased\n\n## ${NEXT} - ${day}\n\n### Fixed\n\n- A fault.\n`);
    expect(clone.read('proto-baseline/latchkey/v1/api_key_service.proto')).toContain('string x = 99;');

    expect(readdirSync(join(clone.folder, 'release')).sort()).toEqual([
      `latchkey-guard-${NEXT}.tgz`,
      `latchkey-panel-${NEXT}.tgz`,
      'latchkey.cdx.json',
    ]);
    for (const [name, built] of [
      ['guard', 'dist/clients/node/src/index.js'],
      ['panel', 'lib/dist/latchkey-panel.js'],
    ]) {
      const tarball = join('release', `latchkey-${name}-${NEXT}.tgz`);
      const manifest = await clone.run('tar', '-xOzf', tarball, 'package/package.json');
      expect(JSON.parse(manifest.output)).toMatchObject({ name: `@latchkey/${name}`, version: NEXT });
      expect((await clone.run('tar', '-tzf', tarball)).output).toContain(`package/${built}\n`);
    }
    const { metadata, components } = JSON.parse(clone.read('release/latchkey.cdx.json'));
    expect(metadata.component.purl).toBe(`pkg:npm/latchkey@${NEXT}`);
    const { dependencies } = JSON.parse(clone.read('package.json')) as { dependencies: object };
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(names.filter((name: string) => /^(jest|typescript|vite|react)$/.test(name))).toEqual([]);
  }, 300_000);

  it('prints its steps and changes nothing with --dry-run', async () => {
    const { code, output } = await clone.release(NEXT, '--without-tests', '--dry-run');
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output.match(/^Step \d of 5: /gm)).toHaveLength(5);
    expect(await clone.git('status', '--porcelain')).toBe('');
    expect(existsSync(join(clone.folder, 'release'))).toBe(false);
  });

  it('leaves the files as they were when a step fails', async () => {
    await clone.commit('proto/latchkey/v1/api_key_service.proto', 'string client_ip = 6;', '');
    const { code, output } = await clone.release(NEXT, '--without-tests');
    expect(code).toBe(1);
    expect(output).toContain('Released clients would break');
    expect(output).toContain('Nothing was released: the files are as they were.');
    expect(await clone.git('status', '--porcelain')).toBe('');
  });

  it('runs the tests as a CI does on this Node and on the other one, and releases nothing if one fails', async () => {
    await clone.commit('scripts/test.mjs', clone.read('scripts/test.mjs'), STAND_IN);
    const other = process.versions.node.startsWith('24.') ? '20.19.0' : '24.1.0';
    const program = join(clone.folder, '../other-node');
    const asOther = `OTHER=${other} exec '${process.execPath}' "$@"`;
    writeFileSync(program, `#!/bin/sh\nif [ "$1" = -p ]; then echo ${other}; else ${asOther}; fi\n`, { mode: 0o755 });
    const { code, output } = await clone.release(NEXT, '--other-node', program);
    expect(output).toContain(`the check and every suite on Node ${other}\nthe stand-in on ${other}, CI=true`);
    expect(output).toContain(`this Node, ${process.versions.node}\nthe stand-in on this one, CI=true`);
    expect({ code, last: output.trimEnd().split('\n').slice(-2) }).toEqual({
      code: 1,
      last: [
        '1 passed, 1 failed: the lines above say what. Mend it, commit, and start again.',
        'Nothing was released: the files are as they were.',
      ],
    });
    expect(await clone.git('status', '--porcelain')).toBe('');
  });
});
