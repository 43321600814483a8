import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { readConfig } from '#config/config.js';
import { LATCHKEY } from '../support/processes/command-line.js';
import { buildService } from '../support/processes/service-process.js';
import { blocksOf, snippetOf } from '../support/reading/pages.js';
import { only, problemsOf, renderChart, type Tree, valuesWith } from './chart.js';
import { environmentOf, readCompose } from './compose.js';

const PAGE = 'docs/operate.md';
/** They write their arguments to files, because there are no containers here. Docker makes a token as in its container. */
const STAND_INS = {
  docker: `until [ "\${1:-latchkey}" = latchkey ]; do shift; done
if [ "\${2:-}" = service-token ]; then shift; exec '${process.execPath}' '${LATCHKEY}' "$@"; fi`,
  kubectl: 'case "$1" in apply) cat > /dev/null ;; esac',
  helm: '',
};

describe('the commands for containers in docs/operate.md and docs/runbook.md', () => {
  let folder: string;
  beforeAll(() => buildService());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'containers-'));
    for (const [command, text] of Object.entries(STAND_INS)) {
      const lines = `#!/bin/bash\necho "$*" >> ${folder}/${command}.called\n${text}\n`;
      writeFileSync(join(folder, command), lines);
      chmodSync(join(folder, command), 0o755);
    }
    symlinkSync(join(root, 'deploy'), join(folder, 'deploy'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Pastes blocks into a shell, and returns what it printed. */
  const paste = async (blocks: readonly string[]) => {
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
    const { code, output } = await run('bash', ['--norc', '-uc', blocks.join('\n')], { cwd: folder, env });
    expect({ code, output }).toEqual({ code: 0, output: '' });
  };
  const written = (file: string) => readFileSync(join(folder, file), 'utf8');
  const settings = (file: string) => parseEnv(written(file)) as Record<string, string>;
  const blocks = (heading: string) => {
    const [, section = ''] = readFileSync(join(root, PAGE), 'utf8').split(`\n### ${heading}\n`);
    return [...section.split(/\n##+ /)[0]!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  };

  test('write an .env with which the production files of Compose start without a warning', async () => {
    const [install] = blocks('Docker Compose');
    await paste([install!]);
    const { COMPOSE_FILE = '', ...env } = settings('.env');
    const services = readCompose(COMPOSE_FILE.split(':'), env)['services'] as Tree;
    const config = readConfig(environmentOf(services['latchkey-2'], env));
    expect(config).toMatchObject({ demo: false, publicUrl: 'https://keys.example.com', warnings: [] });
    expect(env['SERVICE_TOKENS']).toMatch(/^systems-api:validator:[0-9a-f]{64},platform:accounts:[0-9a-f]{64}$/);
  });

  test('replace the instances of Compose one after the other', async () => {
    const functions = blocksOf('docs/runbook.md', 'sh', 'Before each entry').find((block) => block.includes('docker'));
    await paste([functions!, 'restart_all']);
    const up = (name: string) => `compose up --detach --no-deps --force-recreate --wait ${name}`;
    const reload = 'compose exec nginx nginx -s reload';
    expect(written('docker.called').trim().split('\n')).toEqual([up('latchkey-1'), reload, up('latchkey-2'), reload]);
  });

  test('create the Secret with every key that the values for Kubernetes refer to, and install an image that exists', async () => {
    const values = valuesWith(parse(snippetOf(PAGE, 'Kubernetes', 'yaml')) as Tree);
    expect(problemsOf(values)).toEqual([]);
    await paste(blocks('Kubernetes'));

    const { objects, error } = (await renderChart({ latchkey: values })).latchkey;
    expect(error).toBeUndefined();
    const [{ image, env }] = only(objects, 'Deployment')['spec'].template.spec.containers;
    expect(written('docker.called')).toContain(`push ${image}\n`);
    const references = (env as Tree[]).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    const create = written('kubectl.called')
      .split('\n')
      .find((line) => line.startsWith('create '));
    for (const { name } of references) expect(create).toContain(`create secret generic ${name} --from-env-file=`);
    const secrets = settings(/--from-env-file=(\S+)/.exec(create!)![1]!);
    expect(references.map(({ key }: Tree) => key as string).toSorted()).toEqual(Object.keys(secrets).toSorted());
    expect(() => readConfig({ ...secrets, DATABASE_URL: 'postgresql://latchkey@db/latchkey' })).not.toThrow();
    expect(written('helm.called')).toMatch(
      /^upgrade --install latchkey deploy\/helm\/latchkey --values latchkey.yaml /,
    );
  });
});
