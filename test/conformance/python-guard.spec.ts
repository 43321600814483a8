import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { pythonWith, tools } from '../../scripts/tools.mjs';
import { isThorough } from '../support/jest/long-form.js';

const folder = join(root, 'clients/python');
const example = join(root, 'examples/python-api');
const requirements = readFileSync(join(folder, 'requirements-dev.txt'));
/** With the pinned tools. It outlives a run, so that the next one works offline. */
const venv = join(homedir(), '.cache/latchkey', `python-${hash('sha256', requirements).slice(0, 12)}`);
const python = join(venv, 'bin/python');

async function succeed(cwd: string, command: string, ...args: string[]): Promise<void> {
  const { code, output } = await run(command, args, {
    cwd,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: join(folder, 'src') },
  });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}:\n${output}`);
}

describe('the Python guard', () => {
  beforeAll(async () => {
    const isReady = join(venv, 'ready');
    if (existsSync(isReady)) return;
    await succeed(folder, pythonWith(tools['venv of python3']!.modules!)!, '-m', 'venv', '--clear', venv);
    await succeed(folder, python, '-m', 'pip', 'install', '--quiet', '-r', 'requirements-dev.txt');
    writeFileSync(isReady, '');
  });

  const pytest = ['pytest', '-q', '-p', 'no:cacheprovider', '-p', 'latchkey_guard.testing'];
  const always = [['passes the table of cases for every guard', [...pytest, 'tests/test_conformance.py']]] as const;
  const thorough = [
    ['is formatted', ['ruff', 'format', '--no-cache', '--check', '.', example]],
    ['has no findings of ruff', ['ruff', 'check', '--no-cache', '--config', 'pyproject.toml', '.', example]],
    ['has no findings of mypy', ['mypy', '--cache-dir', '/dev/null']],
    ['has no findings of pyright', ['pyright', '--pythonpath', python]],
    [
      'works under gunicorn and uvicorn, and as its README is pasted',
      [...pytest, 'tests', '--ignore=tests/test_conformance.py'],
    ],
  ] as const;
  test.each([...always, ...(isThorough ? thorough : [])])('%s', async (_, [tool, ...args]) => {
    await succeed(folder, python, '-m', tool!, ...args);
  });

  if (isThorough) {
    test('protects the example, whose tests use a fake Latchkey and a real one', async () => {
      await succeed(example, python, '-m', ...pytest, '.');
    });
  }

  test('has a core of the standard library alone', () => {
    const core = ['__init__', '_credential', '_guard', '_leases', '_model', '_request', '_transport', 'wsgi'];
    const imported = core.flatMap((name) => {
      const text = readFileSync(join(folder, `src/latchkey_guard/${name}.py`), 'utf8');
      return [...text.matchAll(/^\s*(?:from|import) ([a-z_]\w*)/gm)].map(([, module]) => module!);
    });
    expect(imported.filter((module) => /^(httpx|flask|django|fastapi|starlette|pytest)$/.test(module))).toEqual([]);
  });
});
