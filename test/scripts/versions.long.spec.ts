import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unreleased } from '../../scripts/release/versions.mjs';
import { textOf } from '../support/reading/pages.js';
import { BEGUN, ReleaseClone } from './release-clone.js';

const [, newest = ''] = /^## (\d\S*) - /m.exec(textOf('CHANGELOG.md')) ?? [];

let clone: ReleaseClone;
beforeAll(async () => void (clone = await ReleaseClone.make()));
afterEach(() => clone.reset());
afterAll(() => clone.remove());

describe('the version', () => {
  it.each([
    ['deploy/helm/latchkey/Chart.yaml', "appVersion: '", "appVersion: '9"],
    ['docker-compose.yml', 'image: latchkey:', 'image: latchkey:9'],
    ['Dockerfile', 'image.version="', 'image.version="9'],
    ['package-lock.json', '"@latchkey/guard": "', '"@latchkey/guard": "9'],
    ['clients/node/README.md', 'latchkey-guard-', 'latchkey-guard-9'],
    ['web/package.json', '  "version": "', '  "version": "9'],
    ['clients/python/pyproject.toml', 'version = "', 'version = "9'],
    ['CHANGELOG.md', `## ${newest} - `, `## ${BEGUN} - `],
  ])('is the same in %s, or the check fails', async (file, part, replacement) => {
    await clone.commit(file, part, replacement);
    expect(await clone.versions()).toEqual({ code: 1, output: expect.stringContaining(`\n  ${file}: `) });
  });

  it('is the next one with -dev between releases, which no tag publishes', async () => {
    expect(await clone.versions()).toEqual({ code: 0, output: '' });
    const refused = { code: 1, output: expect.stringContaining(`the tag: ${BEGUN}-dev is not a release`) };
    expect(await clone.versions(`v${BEGUN}-dev`)).toEqual(refused);
    expect(textOf('package.json')).toMatch(unreleased() === '' ? /"version": "[\d.]+",/ : /"version": "[\d.]+-dev",/);
  });

  it('is that of the tag when a release is published, and has -dev again before the next change', async () => {
    const release = `import { setVersion } from './scripts/release/versions.mjs'; setVersion('${BEGUN}');`;
    await clone.run(process.execPath, '--input-type=module', '--eval', release);
    expect(await clone.versions(`v${BEGUN}`)).toEqual({ code: 0, output: '' });
    expect(await clone.versions('v9.9.9')).toEqual({ code: 1, output: expect.stringContaining('the tag: v9.9.9') });
    await clone.commit('CHANGELOG.md', '## Unreleased\n', '## Unreleased\n\n### Fixed\n\n- Another fault.\n');
    expect(await clone.versions()).toEqual({ code: 1, output: expect.stringContaining('the next one with -dev') });
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

  it('has in each version known sections, each once: about upgrading, for each reader, or those of Keep a Changelog', () => {
    const readers = ['For owners of keys', 'For integrators', 'For operators'];
    const known = ['Upgrading', ...readers, 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    for (const version of textOf('CHANGELOG.md').split(/^## /m).slice(1)) {
      const sections = [...version.matchAll(/^### (.+)$/gm)].map(([, section]) => section!);
      expect(sections.filter((section) => !known.includes(section))).toEqual([]);
      expect(sections).toEqual([...new Set(sections)]);
    }
  });

  it('has no change twice', () => {
    const changes = [...textOf('CHANGELOG.md').matchAll(/^- (.+(?:\n {2}.+)*)/gm)].map(([, text]) => text!);
    const texts = changes.map((text) => text.replace(/\s+/g, ' '));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });
});
