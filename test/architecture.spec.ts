import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, test } from '@jest/globals';
import { root } from '../scripts/lib/paths.mjs';

const RULES = ['no-restricted-imports', 'no-restricted-properties'];
const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');

/** The result of the layer rules for each of these files, which are planted in a temporary checkout. */
function verdictsOn(files: Readonly<Record<string, string>>): Map<string, string[]> {
  const house = mkdtempSync(join(tmpdir(), 'house-'));
  try {
    cpSync(join(root, '.oxlintrc.json'), join(house, '.oxlintrc.json'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(house, file)), { recursive: true });
      writeFileSync(join(house, file), text);
    }
    const args = [oxlint, '--format=json', '--allow=all', ...RULES.map((rule) => `--deny=${rule}`)];
    const { stdout } = spawnSync(process.execPath, args, { cwd: house, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; help: string }[] };
    const verdicts = new Map(Object.keys(files).map((file) => [file, [] as string[]]));
    for (const { filename, help } of diagnostics) verdicts.get(filename)!.push(help);
    return verdicts;
  } finally {
    rmSync(house, { recursive: true, force: true });
  }
}

/** The ways in which a file can import another. */
const STATEMENTS = [
  (specifier: string) => `export * from '${specifier}';\n`,
  (specifier: string) => `import type { T } from '${specifier}';\nexport type U = T;\n`,
  (specifier: string) => `export const later = () => import('${specifier}');\n`,
];

const domain = 'The domain imports its own files, node:crypto and node:zlib.';
const application = 'The application imports its own files, the domain and node:crypto.';
const byName = 'Another layer is imported by its name (#domain/keys/api-key.js), the own layer by paths.';
const tooDeep = 'A layer has folders, and they have none.';
const onFakes = 'The specs of the core run on fakes: nothing is started for them.';
const composed = 'Nothing below the composition imports it.';
const sides = 'Both sides of the service know nothing of each other: go through a port.';
const builtOn = 'No door builds on another: what several need stands in http/pipeline.';
const doors = 'What several doors need stands in inbound/shared.';
const decided = 'An adapter decides nothing: it saves what the core returns.';
const bothSides = 'What both sides use knows neither.';
const settings = 'Settings are read before anything is built.';
const generated = 'Generated types stay within inbound/grpc.';
const service = 'The service imports none of the workspaces.';
const core = 'The core of the guard knows no framework.';
const workspace = 'A workspace knows the service by its contract alone.';
const screen = 'Of the service, the settings screen imports rules of the domain and types of the API alone.';

describe('the house: every arrow points down', () => {
  const refused: readonly [file: string, specifier: string, reason: string][] = [
    ['src/domain/planted.ts', '#application/key-ports.js', domain],
    ['src/domain/planted.ts', './../infrastructure/telemetry/log.js', domain],
    ['src/domain/planted.ts', './keys/../../config/config.js', domain],
    ['src/domain/planted.ts', 'rxjs', domain],
    ['src/domain/planted.ts', 'node:fs', domain],
    ['src/domain/keys/planted.ts', '#application/key-ports.js', domain],
    ['src/domain/keys/planted.ts', '../accounts/../../config/config.js', domain],
    ['src/domain/keys/planted.ts', '@nestjs/common', domain],
    ['src/domain/brand-new/planted.ts', '#config/config.js', domain],
    ['src/domain/planted.ts', '../application/key-ports.js', domain],
    ['src/domain/keys/planted.ts', '../../application/key-ports.js', domain],
    ['src/domain/keys/planted.ts', '../../brand-new/file.js', domain],
    ['src/domain/brand-new/deeper/planted.ts', '../../errors.js', tooDeep],
    ['src/application/planted.ts', '#config/config.js', application],
    ['src/application/keys/planted.ts', '#infrastructure/outbound/postgres/keys/api-keys.js', application],
    ['src/application/keys/planted.ts', '#domain/../config/config.js', application],
    ['src/application/keys/planted.ts', '@nestjs/common', application],
    ['src/application/brand-new/planted.ts', '#config/config.js', application],
    ['src/application/brand-new/planted.ts', 'node:zlib', application],
    ['src/application/planted.ts', '../domain/keys/api-key.js', application],
    ['src/application/keys/planted.ts', '../../infrastructure/outbound/postgres/keys/api-keys.js', application],
    ['src/application/brand-new/deeper/planted.ts', '../../key-ports.js', tooDeep],
    ['src/domain/keys/planted.spec.ts', 'pg', onFakes],
    ['src/application/keys/planted.spec.ts', '#test/support/application/application.js', onFakes],
    ['src/application/keys/planted.spec.ts', '#test/support/stores/databases.mjs', onFakes],
    ['src/application/brand-new/planted.spec.ts', '#infrastructure/outbound/postgres/keys/api-keys.js', onFakes],
    ['src/infrastructure/inbound/grpc/planted.ts', '#composition/start.js', composed],
    ['src/infrastructure/inbound/grpc/planted.ts', '../../../application/key-ports.js', byName],
    ['src/infrastructure/inbound/grpc/planted.ts', '#infrastructure/inbound/http/http-server.js', byName],
    ['src/infrastructure/inbound/grpc/envoy/planted.ts', '../../../outbound/postgres/keys/api-keys.js', sides],
    ['src/infrastructure/inbound/grpc/planted.ts', '../http/http-server.js', doors],
    ['src/infrastructure/inbound/grpc/planted.ts', '@latchkey/guard', service],
    ['src/infrastructure/inbound/http/planted.ts', '../../../main.js', composed],
    ['src/infrastructure/inbound/http/brand-new/planted.ts', '../../../outbound/redis/redis-rate-limiter.js', sides],
    ['src/infrastructure/inbound/http/planted.ts', '../grpc/generated/latchkey/v1/Reason.js', doors],
    ['src/infrastructure/inbound/http/planted.ts', '../../../../clients/node/src/index.js', service],
    ['src/infrastructure/inbound/http/management/planted.ts', '../leaks/leaks.door.js', builtOn],
    ['src/infrastructure/inbound/http/brand-new/planted.ts', '../management/guards.js', builtOn],
    ['src/infrastructure/inbound/http/pipeline/planted.ts', '../management/guards.js', builtOn],
    ['src/infrastructure/inbound/brand-new/planted.ts', '../../outbound/postgres/keys/api-keys.js', sides],
    ['src/infrastructure/inbound/brand-new/planted.ts', '#composition/start.js', composed],
    ['src/infrastructure/inbound/brand-new/planted.ts', '../http/http-server.js', doors],
    ['src/infrastructure/outbound/postgres/keys/planted.ts', '#composition/start.js', composed],
    ['src/infrastructure/outbound/postgres/keys/planted.ts', '../../../inbound/shared/readiness.js', sides],
    ['src/infrastructure/outbound/brand-new/planted.ts', '../../inbound/shared/readiness.js', sides],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#composition/start.js', composed],
    ['src/infrastructure/outbound/brand-new/planted.ts', '@latchkey/guard', service],
    ['src/infrastructure/outbound/postgres/keys/planted.ts', '#application/keys/change-keys.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#application/accounts/put-account.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#application/sessions/sign-in.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#application/administration/administrators.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '../../telemetry/log.js', byName],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#application/validation/validate-key.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#application/leaks/end-reported-keys.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#application/change-waits.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#domain/keys/owner-keys.js', decided],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#domain/keys/key-change.js', decided],
    ['src/infrastructure/outbound/postgres/keys/planted.ts', '../../../../domain/keys/owner-keys.js', byName],
    ['src/infrastructure/telemetry/planted.ts', '../../application/key-ports.js', byName],
    ['src/infrastructure/telemetry/planted.ts', '../inbound/shared/error-table.js', bothSides],
    ['src/infrastructure/brand-new/planted.ts', '../outbound/batching/batcher.js', bothSides],
    ['src/infrastructure/brand-new/planted.ts', '#composition/start.js', composed],
    ['src/infrastructure/planted.ts', './inbound/shared/error-table.js', bothSides],
    ['src/config/planted.ts', '../domain/rate-limit.js', byName],
    ['src/composition/planted.ts', '../config/config.js', byName],
    ['src/config/planted.ts', '#infrastructure/telemetry/log.js', settings],
    ['src/config/planted.ts', '#composition/start.js', composed],
    ['src/composition/planted.ts', '#infrastructure/inbound/grpc/generated/latchkey/v1/Reason.js', generated],
    ['src/composition/workers/planted.ts', '@latchkey/guard', service],
    ['src/brand-new/planted.ts', '#composition/start.js', composed],
    ['src/planted.ts', './composition/start.js', composed],
    ['clients/node/src/planted.ts', '../../../src/domain/keys/key-string.js', workspace],
    ['clients/node/src/frameworks/planted.ts', '../../../../src/domain/keys/key-string.js', workspace],
    ['clients/node/src/frameworks/planted.ts', '../../../../src/domain/keys/key-rights.js', workspace],
    ['clients/node/src/grpc/planted.ts', '../../../../src/domain/keys/api-key.js', workspace],
    ['clients/node/src/planted.ts', '../../../src/config/config.js', workspace],
    ['clients/node/src/planted.ts', 'express', core],
    ['clients/node/src/planted.ts', '@nestjs/common', core],
    ['clients/node/src/grpc/planted.ts', 'fastify', core],
    ['clients/node/src/http/planted.ts', '../frameworks/fastify.js', core],
    ['examples/systems-api/src/planted.ts', '../../../src/infrastructure/telemetry/log.js', workspace],
    ['web/src/planted.ts', '../../src/config/config', screen],
    ['web/src/keys/planted.tsx', '../../../src/application/key-ports.js', screen],
    ['web/src/brand-new/planted.ts', '../../../src/infrastructure/inbound/shared/readiness', screen],
    ['web/src/api/planted.ts', '../../../src/infrastructure/inbound/http/management/cookies.js', screen],
  ];

  const allowed: readonly [file: string, specifier: string][] = [
    ['src/domain/keys/planted.ts', './key-string.js'],
    ['src/domain/keys/planted.ts', '../errors.js'],
    ['src/domain/planted.ts', 'node:zlib'],
    ['src/application/planted.ts', '#domain/keys/api-key.js'],
    ['src/application/keys/planted.ts', '#domain/keys/api-key.js'],
    ['src/application/keys/planted.ts', '../key-ports.js'],
    ['src/application/keys/planted.spec.ts', '#test/fakes/fake-application.js'],
    ['src/application/keys/planted.spec.ts', '#test/support/application/calls.js'],
    ['src/infrastructure/inbound/grpc/planted.ts', './generated/latchkey/v1/Reason.js'],
    ['src/infrastructure/inbound/grpc/planted.ts', '#application/key-ports.js'],
    ['src/infrastructure/inbound/grpc/planted.ts', '@grpc/grpc-js'],
    ['src/infrastructure/inbound/http/pipeline/planted.ts', '../../shared/error-table.js'],
    ['src/infrastructure/inbound/http/brand-new/planted.ts', '../pipeline/request.js'],
    ['src/infrastructure/inbound/http/brand-new/planted.ts', '../http-door.js'],
    ['src/infrastructure/inbound/http/brand-new/planted.ts', '#domain/errors.js'],
    ['src/infrastructure/outbound/passwords/planted.ts', 'node:crypto'],
    ['src/infrastructure/outbound/brand-new/planted.ts', '../batching/batcher.js'],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#application/key-ports.js'],
    ['src/infrastructure/outbound/brand-new/planted.ts', '#domain/keys/api-key.js'],
    ['src/infrastructure/telemetry/planted.ts', '#application/key-ports.js'],
    ['src/config/planted.ts', '#domain/rate-limit.js'],
    ['src/composition/planted.ts', '#infrastructure/outbound/postgres/keys/api-keys.js'],
    ['clients/node/src/frameworks/planted.ts', 'fastify'],
    ['clients/node/src/http/planted.ts', '../guard.js'],
    ['clients/node/src/http/planted.ts', '../../../../src/domain/ip-address.js'],
    ['clients/node/src/planted.ts', '../../../src/domain/keys/key-rights.js'],
    ['clients/node/src/planted.ts', '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Lease.js'],
    ['examples/systems-api/src/planted.ts', '@latchkey/guard'],
    ['web/src/keys/planted.tsx', '../../../src/domain/accounts/permission'],
    ['web/src/keys/planted.tsx', '../api/types'],
    ['web/src/api/planted.ts', '../../../src/infrastructure/inbound/http/management/views.js'],
  ];

  let verdicts: Map<string, string[]>;
  beforeAll(() => {
    const imports = [...refused, ...allowed];
    const planted = imports.flatMap(([file, specifier], row) =>
      STATEMENTS.map((statement, way) => [place(file, row, way), statement(specifier)] as const),
    );
    verdicts = verdictsOn(Object.fromEntries(planted));
  });

  it.each(refused.map((each, row) => [...each, row] as const))(
    '%s may not import %s',
    (file, _specifier, reason, row) => {
      for (const way of STATEMENTS.keys()) expect(verdicts.get(place(file, row, way))).toContain(reason);
    },
  );

  it.each(allowed.map((each, row) => [...each, refused.length + row] as const))(
    '%s may import %s',
    (file, _specifier, row) => {
      for (const way of STATEMENTS.keys()) expect(verdicts.get(place(file, row, way))).toEqual([]);
    },
  );

  it('names no folder or file that does not exist', () => {
    // The configuration is JSON with comments.
    const text = readFileSync(join(root, '.oxlintrc.json'), 'utf8').replace(/^\s*\/\/.*$/gm, '');
    const files = [...text.matchAll(/"#([^"*]+)\.js"/g)].flatMap(([, path]) => spellOut(path!));
    expect(files.filter((file) => !existsSync(join(root, 'src', `${file}.ts`)))).toEqual([]);
    expect(files.length).toBeGreaterThan(2);
    const { overrides } = JSON.parse(text) as { overrides: { files: string[] }[] };
    const folders = overrides.flatMap(({ files }) => files.flatMap(spellOut)).map((glob) => glob.split('*')[0] ?? '');
    const empty = folders.filter((folder) => !existsSync(join(root, folder)));
    expect({ rules: folders.length, empty }).toEqual({ rules: expect.any(Number), empty: [] });
  });
});

/** The aggregates, by their files. */
const AGGREGATES = ['keys/api-key', 'keys/owner-keys', 'accounts/account', 'usage/key-networks'];
/** Names that maps and TypeORM have too. An adapter calls them on neither an account nor a key. */
const SHARED_NAMES = ['delete', 'update'];

/** The methods of a class that change it: they assign to one of its fields, fill one, or call one that does. */
function mutatorsIn(file: string): string[] {
  const text = readFileSync(join(root, 'src/domain', `${file}.ts`), 'utf8');
  const methods = [...text.matchAll(/^ {2}(private )?(\w+)\(.*?^ {2}\}$/gms)].map(([body, hidden, name]) => ({
    name: name!,
    isHidden: hidden !== undefined,
    body,
  }));
  const changes = ({ name, body }: { name: string; body: string }) =>
    name !== 'constructor' && /this(\.\w+)+ = |this\.\w+\.(push|set)\(|days\.set\(/.test(body);
  const found = new Set(methods.filter(changes).map(({ name }) => name));
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { name, body } of methods) {
      if ([...found].some((one) => body.includes(`this.${one}(`) || body.includes(`.${one}(`))) found.add(name);
    }
  }
  return methods.filter(({ name, isHidden }) => !isHidden && found.has(name)).map(({ name }) => name);
}

/** What an adapter has no business with: an event or a notice that it makes, a change of an aggregate under a shared name. */
function decisionsIn(text: string): string[] {
  return [
    ...text.matchAll(/\btype: ['"`](?:api_key|account|session|authentication)\.\w+/g),
    ...text.matchAll(/(?:SELECT|VALUES \() *'(?:api_key|account|session|authentication)\.\w+'/g),
    ...text.matchAll(/\b(?:account|key|owner)\.(?:delete|update)\(/g),
  ].map(([found]) => found);
}

describe('an adapter decides nothing', () => {
  const mutators = [...new Set(AGGREGATES.flatMap(mutatorsIn))].filter((name) => !SHARED_NAMES.includes(name));
  const outbound = join(root, 'src/infrastructure/outbound');

  it('knows the methods that change an aggregate', () => {
    expect(mutators).toEqual(expect.arrayContaining(['endIfDue', 'revoke', 'issue', 'suspend', 'grantedFrom']));
    expect(AGGREGATES.flatMap(mutatorsIn)).toEqual(expect.arrayContaining(SHARED_NAMES));
  });

  it('may call none of them', () => {
    const planted = mutators.map((name) => [
      `src/infrastructure/outbound/postgres/keys/${name}.ts`,
      `export const decide = (one: { ${name}(): void }) => one.${name}();\n`,
    ]);
    planted.push([
      'src/infrastructure/outbound/postgres/keys/notices.ts',
      `import { type KeyNotice, noticesOfChange } from '#domain/notices/key-notice.js';\nexport const decide: KeyNotice[] = noticesOfChange();\n`,
    ]);
    const allowed = 'src/infrastructure/outbound/postgres/keys/allowed.ts';
    const verdicts = verdictsOn({
      ...Object.fromEntries(planted),
      [allowed]: `import type { KeyNotice } from '#domain/notices/key-notice.js';\nexport const read = (one: { snapshot(): KeyNotice }) => one.snapshot();\n`,
    });
    for (const [file] of planted) expect([file, verdicts.get(file!)]).toEqual([file, [decided]]);
    expect(verdicts.get(allowed)).toEqual([]);
  });

  it.each([
    `const event = { type: 'api_key.expired', keyId };`,
    `notices.push({ type: 'api_key.expiring', key })`,
    `INSERT INTO audit_events (type) SELECT 'session.opened' FROM opened`,
    `account.update(profile)`,
  ])('may not have %s', (text) => {
    expect(decisionsIn(text)).toHaveLength(1);
  });

  it('makes no event and no notice in any file', () => {
    const files = readdirSync(outbound, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !/migrations.\d/.test(file),
    );
    expect(files.length).toBeGreaterThan(50);
    const found = files.flatMap((file) =>
      decisionsIn(readFileSync(join(outbound, file), 'utf8')).map((what) => `${file}: ${what}`),
    );
    expect(found).toEqual([]);
  });
});

describe.each([
  ['the settings screen', 'web/src', ['src/domain/accounts/permission.ts']],
  ['the guard', 'clients/node/src', ['src/domain/keys/key-rights.ts', 'src/domain/secrets.ts']],
])('what %s imports of the domain', (_name, folder, some) => {
  it('imports no package and nothing of Node', () => {
    const sources = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.m?tsx?$/.test(file) && !/\.spec\.ts$|^testing/.test(file),
    );
    const imported = sources.flatMap((file) => valuesOf(join(folder, file)));
    const reached = new Set(imported.filter((file) => file.startsWith('src/') && !file.includes('/generated/')));
    // A set also visits what is added on the way.
    for (const file of reached) for (const each of valuesOf(file)) reached.add(each);
    expect([...reached]).toEqual(expect.arrayContaining(some));
    expect([...reached].filter((file) => !file.startsWith('src/domain/'))).toEqual([]);
  });
});

/** The files that a file imports values of, as paths in the checkout, and the packages, by their names. */
function valuesOf(file: string): string[] {
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
  return [...text.replaceAll(/^import type [^;]*;/gm, '').matchAll(/(?:from |import\(?)'([^']+)'/g)].map(
    ([, specifier]) =>
      specifier!.startsWith('.') ? `${join(dirname(file), specifier!.replace(/\.js$/, ''))}.ts` : specifier!,
  );
}

/** In openapi.json, a class has its bare name: of two classes with one name only the last would be described. */
test('no two classes of the HTTP doors have one name', () => {
  const http = join(root, 'src/infrastructure/inbound/http');
  const files = readdirSync(http, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const names = files.flatMap((file) =>
    [...readFileSync(join(http, file), 'utf8').matchAll(/^(?:export )?class (\w+)/gm)].map(([, name]) => name!),
  );
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe.each(['src/domain', 'src/application', 'web/src'])('the folders of %s', (floor) => {
  it('import each other one way at most', () => {
    const arrows = arrowsBetweenFolders(floor);
    expect(arrows.size).toBeGreaterThan(2);
    const circles = [...arrows.keys()].filter((folder) => reachableFrom(folder, arrows).has(folder));
    expect(circles).toEqual([]);
  });
});

/** Each folder of a floor with the others that its files import; specs may look anywhere. */
function arrowsBetweenFolders(floor: string): Map<string, Set<string>> {
  const entries = readdirSync(join(root, floor), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return new Map(
    folders.map((folder) => {
      const files = readdirSync(join(root, floor, folder), { recursive: true, encoding: 'utf8' }).filter(
        (file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts'),
      );
      const texts = files.map((file) => readFileSync(join(root, floor, folder, file), 'utf8'));
      const specifiers = texts.flatMap((text) => [...text.matchAll(/(?:from |import\()'(?:\.\.\/)+([a-z-]+)\//g)]);
      const imported = specifiers.map(([, name]) => name!).filter((name) => folders.includes(name) && name !== folder);
      return [folder, new Set(imported)];
    }),
  );
}

function reachableFrom(folder: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const toLookAt = [folder];
  for (let at = toLookAt.pop(); at !== undefined; at = toLookAt.pop()) {
    for (const next of arrows.get(at) ?? []) {
      if (!reached.has(next)) toLookAt.push(next);
      reached.add(next);
    }
  }
  return reached;
}

/** Each import has a file of its own, so that one run of the linter judges them all. */
function place(file: string, row: number, way: number): string {
  return file.replace(/(?:\.spec)?\.tsx?$/, `-${row}-${way}$&`);
}

/** {a,b}/c → a/c, b/c */
function spellOut(glob: string): string[] {
  const [, before = '', choices = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(glob) ?? [];
  return choices === '' ? [glob] : choices.split(',').flatMap((choice) => spellOut(`${before}${choice}${after}`));
}
