import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../scripts/lib/paths.mjs';

const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
let house: string;

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'house-'));
  cpSync(join(root, '.oxlintrc.json'), join(house, '.oxlintrc.json'));
});
afterAll(() => rmSync(house, { recursive: true, force: true }));

/** What the layer rule says to a file that holds this one import. */
function verdictOn(file: string, statement: string): string[] {
  mkdirSync(dirname(join(house, file)), { recursive: true });
  writeFileSync(join(house, file), `${statement}\n`);
  const args = [oxlint, '--format=json', '--allow=all', '--deny=no-restricted-imports', file];
  try {
    execFileSync(process.execPath, args, { cwd: house, encoding: 'utf8' });
    return [];
  } catch (error) {
    const { diagnostics } = JSON.parse((error as { stdout: string }).stdout) as { diagnostics: { help: string }[] };
    return diagnostics.map(({ help }) => help);
  } finally {
    rmSync(join(house, file));
  }
}

const domain = 'The domain imports its own files, node:crypto and node:zlib.';
const application = 'The application imports its own files, the domain and node:crypto.';
const adapter = 'An adapter knows nothing of how things are put together.';
const callsIn = 'What calls in reaches other adapters through a port.';
const calledOut = 'What is called out to knows nothing of what calls in.';
const generated = 'Generated types stay within src/infrastructure/grpc.';
const service = 'The service imports none of the workspaces.';
const commandLine = 'The command line is put together without the service.';
const core = 'The core of the guard knows no framework.';
const workspace = 'A workspace knows the service by its contract alone.';

describe('the house: every arrow points down', () => {
  it.each([
    ['src/domain/planted.ts', '../application/ports.js', domain],
    ['src/domain/planted.ts', '../config.js', domain],
    ['src/domain/planted.ts', './../infrastructure/log.js', domain],
    ['src/domain/planted.ts', 'rxjs', domain],
    ['src/domain/planted.ts', '@nestjs/common', domain],
    ['src/domain/planted.ts', 'node:fs', domain],
    ['src/application/planted.ts', '../infrastructure/postgres/accounts.js', application],
    ['src/application/planted.ts', '../domain/../config.js', application],
    ['src/application/planted.ts', '@nestjs/common', application],
    ['src/application/planted.ts', 'node:zlib', application],
    ['src/infrastructure/grpc/planted.ts', '../../app.module.js', adapter],
    ['src/infrastructure/grpc/planted.ts', '../postgres/accounts.js', callsIn],
    ['src/infrastructure/grpc/planted.ts', '../http/cookies.js', callsIn],
    ['src/infrastructure/grpc/planted.ts', '@latchkey/guard', service],
    ['src/infrastructure/http/planted.ts', '../../latchkey.js', adapter],
    ['src/infrastructure/http/planted.ts', '../redis/rate-limiter.js', callsIn],
    ['src/infrastructure/http/planted.ts', '../grpc/generated/latchkey/v1/Reason.js', callsIn],
    ['src/infrastructure/http/planted.ts', '../../../clients/node/src/index.js', service],
    ['src/infrastructure/postgres/planted.ts', '../../main.js', adapter],
    ['src/infrastructure/postgres/planted.ts', '../http/problem.js', calledOut],
    ['src/infrastructure/postgres/migrations/planted.ts', '../../grpc/generated/latchkey/v1/Reason.js', calledOut],
    ['src/infrastructure/redis/planted.ts', '../../app.module.js', adapter],
    ['src/infrastructure/memory/planted.ts', '../grpc/enums.js', calledOut],
    ['src/infrastructure/crypto/planted.ts', '../http/cookies.js', calledOut],
    ['src/infrastructure/telemetry/planted.ts', '../http/cookies.js', calledOut],
    ['src/infrastructure/planted.ts', '../app.module.js', adapter],
    ['src/infrastructure/planted.ts', './grpc/generated/latchkey/v1/Reason.js', calledOut],
    ['src/planted.ts', './infrastructure/grpc/generated/latchkey/v1/Reason.js', generated],
    ['src/planted.ts', '@latchkey/guard', service],
    ['src/cli/planted.ts', '../infrastructure/http/views.js', commandLine],
    ['src/cli/planted.ts', '../app.module.js', commandLine],
    ['src/cli/planted.ts', '@latchkey/guard', service],
    ['clients/node/src/planted.ts', '../../../src/domain/key-string.js', workspace],
    ['clients/node/src/frameworks/planted.ts', '../../../../src/domain/key-string.js', workspace],
    ['clients/node/src/planted.ts', 'express', core],
    ['clients/node/src/planted.ts', '@nestjs/common', core],
    ['clients/node/src/grpc/planted.ts', 'fastify', core],
    ['clients/node/src/http/planted.ts', '../frameworks/fastify.js', core],
    ['examples/systems-api/src/planted.ts', '../../../src/infrastructure/log.js', workspace],
  ])('%s may not import %s', (file, specifier, reason) => {
    expect(verdictOn(file, `export * from '${specifier}';`)).toContain(reason);
    expect(verdictOn(file, `import type { T } from '${specifier}';\nexport type U = T;`)).toContain(reason);
  });

  it.each([
    ['src/domain/planted.ts', './key-string.js'],
    ['src/domain/planted.ts', 'node:zlib'],
    ['src/application/planted.ts', '../domain/api-key.js'],
    ['src/application/planted.ts', './ports.js'],
    ['src/infrastructure/grpc/planted.ts', './generated/latchkey/v1/Reason.js'],
    ['src/infrastructure/grpc/planted.ts', '../../application/ports.js'],
    ['src/infrastructure/grpc/planted.ts', '@grpc/grpc-js'],
    ['src/infrastructure/http/planted.ts', '../error-table.js'],
    ['src/infrastructure/crypto/planted.ts', 'node:crypto'],
    ['src/planted.ts', './infrastructure/postgres/accounts.js'],
    ['src/cli/planted.ts', '../infrastructure/postgres/accounts.js'],
    ['clients/node/src/frameworks/planted.ts', 'fastify'],
    ['clients/node/src/http/planted.ts', '../guard.js'],
    ['examples/systems-api/src/planted.ts', '@latchkey/guard'],
  ])('%s may import %s', (file, specifier) => {
    expect(verdictOn(file, `export * from '${specifier}';`)).toEqual([]);
  });

  it('names no folder that does not exist', () => {
    // The configuration is JSON with comments.
    const text = readFileSync(join(root, '.oxlintrc.json'), 'utf8').replace(/^\s*\/\/.*$/gm, '');
    const { overrides } = JSON.parse(text) as { overrides: { files: string[] }[] };
    const folders = overrides.flatMap(({ files }) => files.flatMap(spellOut)).map((glob) => glob.split('*')[0] ?? '');
    const empty = folders.filter(
      (folder) => !readdirSync(join(root, folder), { recursive: true }).join().includes('.ts'),
    );
    expect({ rules: folders.length, empty }).toEqual({ rules: expect.any(Number), empty: [] });
  });
});

/** {a,b}/c → a/c, b/c */
function spellOut(glob: string): string[] {
  const [, before = '', choices = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(glob) ?? [];
  return choices === '' ? [glob] : choices.split(',').flatMap((choice) => spellOut(`${before}${choice}${after}`));
}
