import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { snippetOf } from '../support/reading/pages.js';
import { buildService } from '../support/processes/service-process.js';
import { type Service, startService } from '../support/processes/service.js';
import { type Obtained, obtain, publishDry } from './fresh-clone.js';
import { exportedBy, filesIn } from './packed.js';
import { Project } from './project.js';
import { Sample, guardReadme } from './sample.js';
import { compilerOptions, typesInUse } from './types-in-use.js';

const nest = ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'];
const kinds = [
  { kind: 'Express, import', heading: 'Express', language: 'ts', type: 'module', packages: ['express'] },
  { kind: 'Express, require', heading: 'Express', language: 'js', type: 'commonjs', packages: ['express'] },
  { kind: 'Fastify', heading: 'Fastify', language: 'ts', type: 'module', packages: ['fastify'] },
  { kind: 'NestJS', heading: 'NestJS', language: 'ts', type: 'module', packages: nest },
] as const;
type Kind = (typeof kinds)[number]['kind'];

/** Packing, installing and type checking take seconds, on a busy machine many. */
const timeoutMs = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'packages-'));
const samples = new Map<Kind, Sample>();
const goodKeys = new Map<Kind, string>();
let obtained: Obtained;
let byNpm: Project;
let service: Service;
let uselessKey: string;
let stopped: Promise<void> | undefined;
const stopService = () => (stopped ??= service.stop());

beforeAll(async () => {
  await buildService();
  const [got, started] = await Promise.all([
    obtain(snippetOf(guardReadme, 'Install', 'sh'), folder),
    startService({ RATE_LIMIT_BURST: '20', RATE_LIMIT_PER_SECOND: '1' }),
  ]);
  obtained = got;
  service = started;
  const [owner, stranger] = await Promise.all([newOwner(service), newOwner(service, { permissions: ['bills:read'] })]);
  uselessKey = (await stranger.person.newKey()).fullKey;
  const [first] = kinds;
  byNpm = await new Project(join(folder, first.kind), first.type, got.companions).install(got.tarball);
  await Promise.all(
    kinds.map(async ({ kind, heading, language, type, packages }) => {
      goodKeys.set(kind, (await owner.person.newKey()).fullKey);
      const project = kind === first.kind ? byNpm : new Project(join(folder, kind), type, packages).installAs(byNpm);
      samples.set(kind, await Sample.start(project, heading, language, service.grpcTarget));
    }),
  );
}, timeoutMs);

afterAll(async () => {
  for (const sample of samples.values()) sample.stop();
  await stopService();
});

/** Repeats a request until it gets this status: a sample needs a moment to start, and a busy machine may cause a 503. */
function answered(kind: Kind, status: number, fullKey?: string): Promise<Response> {
  return eventually(async () => {
    const response = await samples.get(kind)!.get(fullKey);
    return response?.status === status && response;
  });
}

describe.each(kinds)('the packed guard in an empty project: $kind', ({ kind }) => {
  it('lets a good key through as its owner', async () => {
    const response = await answered(kind, 200, goodKeys.get(kind));
    expect(await response.json()).toEqual({ owner: expect.stringMatching(/^owner-[0-9a-f]{12}$/) });
    expect(response.headers.get('ratelimit-policy')).toBe('"key";q=20;w=20');
    expect(Date.parse(response.headers.get('latchkey-key-expires')!)).toBeGreaterThan(Date.now());
  });

  it('answers 401 without a key and with a wrong one', async () => {
    for (const wrong of [undefined, `${goodKeys.get(kind)}0`]) {
      const response = await answered(kind, 401, wrong);
      expect(await response.json()).toEqual({ message: 'invalid api key' });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('answers 403 to a key whose owner lacks the permission', async () => {
    const response = await answered(kind, 403, uselessKey);
    expect(await response.json()).toEqual({ message: 'operation not allowed' });
  });

  it('answers 429 past the rate limit', async () => {
    const response = await answered(kind, 429, goodKeys.get(kind));
    expect(await response.json()).toEqual({ message: 'too many requests' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});

describe('the packed guard', () => {
  it('answers 503 in every project while Latchkey is away', async () => {
    await stopService();
    for (const { kind } of kinds) {
      const response = await answered(kind, 503, goodKeys.get(kind));
      expect(await response.json()).toEqual({ message: 'service unavailable' });
    }
  });

  it(
    'has types for import and for require, and the examples conform to them',
    async () => {
      const packages = [...nest, 'express', 'fastify', 'typescript', '@types/node', '@types/express'];
      const project = new Project(join(folder, 'types'), 'module', packages).installAs(byNpm);
      for (const heading of ['Express', 'Fastify', 'NestJS']) {
        project.write(`${heading}.mts`, snippetOf(guardReadme, heading, 'ts'));
      }
      for (const file of ['imported.mts', 'required.cts']) project.write(file, typesInUse);
      project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.mts', '*.cts'] }));
      const { output } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], {
        cwd: project.folder,
      });
      expect(output).toBe('');
    },
    timeoutMs,
  );

  it('has types for compilers that do not read `exports`, such as with moduleResolution node', () => {
    const packed = join(byNpm.folder, 'node_modules/@latchkey/guard');
    const about = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
    const { '.': main, ...others } = about.exports;
    expect([about.main, about.types]).toEqual([main.require.default, main.require.types]);
    const entries = Object.entries<{ require?: { types: string } }>(others).filter(([, { require }]) => require);
    expect(about.typesVersions['*']).toEqual(
      Object.fromEntries(entries.map(([name, { require }]) => [name.slice(2), [require!.types]])),
    );
    for (const file of [about.main, about.types, ...Object.values<string[]>(about.typesVersions['*']).flat()]) {
      expect(existsSync(join(packed, file))).toBe(true);
    }
  });

  it('has examples of less than 15 lines in its README, the first of which is also in ours', () => {
    for (const heading of ['Express', 'Fastify', 'NestJS']) {
      const lines = snippetOf(guardReadme, heading, 'ts').split('\n');
      expect(lines.filter((line) => line !== '').length).toBeLessThan(15);
    }
    expect(snippetOf('README.md', 'One guard', 'js')).toBe(snippetOf(guardReadme, 'Express', 'ts'));
    expect(snippetOf('README.md', 'One guard', 'sh')).toBe(snippetOf(guardReadme, 'Install', 'sh'));
  });

  it('contains only what it exports, a license and a README', () => {
    const packed = join(byNpm.folder, 'node_modules/@latchkey/guard');
    const files = filesIn(packed);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', ...exportedBy(packed)]));
    expect(
      files.filter((file) => !/^(LICENSE|README\.md|package\.json|dist\/.+\.m?js|dist\/.+\.d\.m?ts)$/.test(file)),
    ).toEqual([]);
  });

  it('can be published without a warning of npm', async () => {
    expect(await publishDry(obtained.clone, '@latchkey/guard')).toEqual([]);
  });
});
