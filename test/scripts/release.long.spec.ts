import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReleaseClone } from './release-clone.js';

const NEXT = '99.0.0';
let clone: ReleaseClone;
beforeAll(async () => void (clone = await ReleaseClone.make()));
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
    expect(output).toContain('WITHOUT CHECKS AND TESTS');
    expect(output).toContain(`git tag --annotate v${NEXT}`);
    // Go takes the version of a module in a folder from such a tag.
    expect(output).toContain(`git tag --annotate clients/go/v${NEXT}`);
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
      `latchkey_guard-${NEXT}-py3-none-any.whl`,
      'maven',
    ]);
    const modules = [
      'latchkey-guard',
      'latchkey-guard-servlet',
      'latchkey-guard-spring-boot-starter',
      'latchkey-guard-test',
    ];
    for (const name of modules) {
      const files = readdirSync(join(clone.folder, 'release/maven/dev/latchkey', name, NEXT));
      for (const ending of ['.jar', '-sources.jar', '.pom']) expect(files).toContain(`${name}-${NEXT}${ending}`);
    }
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
  }, 600_000);
});
