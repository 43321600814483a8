import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { snippetOf } from '../support/reading/pages.js';
import { only, problemsOf, renderChart, type Tree, valuesWith } from './chart.js';

const PAGE = 'docs/operate.md';

describe('the commands for Kubernetes in docs/operate.md', () => {
  let bin: string;
  beforeAll(() => {
    bin = mkdtempSync(join(tmpdir(), 'bin-'));
    // They write their arguments to a file, because there is no cluster here.
    for (const command of ['kubectl', 'helm']) {
      writeFileSync(join(bin, command), `#!/bin/sh\nprintf '%s\\n' "$@" > ${join(bin, `${command}.written`)}\n`);
      chmodSync(join(bin, command), 0o755);
    }
  });
  afterAll(() => rmSync(bin, { recursive: true, force: true }));
  const written = (command: string) =>
    readFileSync(join(bin, `${command}.written`), 'utf8')
      .trim()
      .split('\n');

  test('use complete values, and create the secret with every key that the values refer to', async () => {
    const values = valuesWith(parse(snippetOf(PAGE, 'Kubernetes', 'yaml')) as Tree);
    expect(problemsOf(values)).toEqual([]);

    const secrets = { DATABASE_URL: 'd', REDIS_URL: 'r', SERVICE_TOKENS: 's', AUDIT_SEAL_KEY: 'a' };
    const env = { PATH: `${bin}:${process.env['PATH']}`, ...secrets };
    const { code, output } = await run('sh', ['-euc', snippetOf(PAGE, 'Kubernetes', 'sh')], { env });
    expect({ code, output }).toEqual({ code: 0, output: '' });

    const [create, secret, generic, name, ...literals] = written('kubectl');
    expect([create, secret, generic]).toEqual(['create', 'secret', 'generic']);
    const [{ env: wanted }] = only((await renderChart({ latchkey: values })).latchkey.objects, 'Deployment')['spec']
      .template.spec.containers;
    const references = (wanted as Tree[]).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    expect(references.map((reference: Tree) => reference['name'])).toEqual(references.map(() => name));
    expect(literals.map((literal) => /=([A-Z_]+)=/.exec(literal)![1]).toSorted()).toEqual(
      references.map(({ key }: Tree) => key as string).toSorted(),
    );

    const [install, release, chart, flag, file] = written('helm');
    expect([install, release, flag]).toEqual(['install', 'latchkey', '--values']);
    expect(existsSync(join(root, chart!, 'Chart.yaml'))).toBe(true);
    expect(readFileSync(join(root, PAGE), 'utf8')).toContain(`\`${file}\``);
  });
});
