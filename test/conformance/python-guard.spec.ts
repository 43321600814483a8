import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { succeed } from '../../scripts/lib/run.mjs';
import { pythonGuard as folder, pythonGuardEnv, pythonOfGuard } from '../../scripts/testing/programs.mjs';
import { isThorough } from '../support/jest/long-form.js';

const example = join(root, 'examples/python-api');

describe('the Python guard', () => {
  let python: string;
  beforeAll(async () => {
    python = await pythonOfGuard();
  });

  const pytest = ['pytest', '-q', '-p', 'no:cacheprovider', '-p', 'latchkey_guard.testing'];
  const always = [['passes the table of cases for every guard', [...pytest, 'tests/test_conformance.py']]] as const;
  const thorough = [
    ['is formatted', ['ruff', 'format', '--no-cache', '--check', '.', example]],
    ['has no findings of ruff', ['ruff', 'check', '--no-cache', '--config', 'pyproject.toml', '.', example]],
    ['has no findings of mypy', ['mypy', '--cache-dir', '/dev/null']],
    ['has no findings of pyright', ['pyright']],
    [
      'passes the table of cases for every guard, works under gunicorn and uvicorn, and as its README is pasted',
      [...pytest, 'tests'],
    ],
  ] as const;
  test.each([...(isThorough ? thorough : always)])('%s', async (_, [tool, ...args]) => {
    const where = tool === 'pyright' ? ['--pythonpath', python] : [];
    await succeed(python, ['-m', tool!, ...args, ...where], { cwd: folder, env: pythonGuardEnv() });
  });

  if (isThorough) {
    test('protects the example, whose tests use a fake Latchkey and a real one', async () => {
      await succeed(python, ['-m', ...pytest, '.'], { cwd: example, env: pythonGuardEnv() });
    });
  }

  test('has a core of the standard library alone', () => {
    const core = [
      '__init__',
      '_credential',
      '_guard',
      '_judgement',
      '_leases',
      '_model',
      '_request',
      '_transport',
      'wsgi',
    ];
    const imported = core.flatMap((name) => {
      const text = readFileSync(join(folder, `src/latchkey_guard/${name}.py`), 'utf8');
      return [...text.matchAll(/^\s*(?:from|import) ([a-z_]\w*)/gm)].map(([, module]) => module!);
    });
    expect(
      imported.filter((module) => /^(httpx|httpcore|flask|django|fastapi|starlette|pytest)$/.test(module)),
    ).toEqual([]);
  });
});
