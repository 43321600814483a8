import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { Commands } from '../scripts/commands.js';
import { LEAST, only, renderChart, type Tree, valuesWith } from './chart.js';

/** The recipes by which a service account's key is rotated without a person, run as their programs run them. */
const SCRIPT = join(root, 'deploy/helm/latchkey/files/rotate-key.sh');
const ISSUER = 'issuer-token';
const identity = (name: string, role: string, token: string) => `${name}:${role}:${hash('sha256', token)}`;

let service: Service;
let folder: string;
let commands: Commands;
let job: { readonly id: string; readonly key: string };
beforeAll(async () => {
  const tokens = [
    identity('dev-validator', 'validator', 'dev-validator-token'),
    identity('dev-accounts', 'accounts', 'dev-accounts-token'),
    identity('ci', 'issuer/ci-bot', ISSUER),
  ];
  service = await startService({ SERVICE_TOKENS: tokens.join(','), KEY_CHANGES_PER_HOUR: '1000' });
  const manager = await newOwner(service);
  await service.clients.putAccount({
    id: 'ci-bot',
    displayName: 'CI bot',
    permissions: ['systems:read'],
    kind: 'ACCOUNT_KIND_SERVICE',
    managers: { ids: [manager.id] },
    limits: { maxActiveKeys: 100 },
  });
});
afterAll(() => service.stop());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rotation-'));
  commands = new Commands();
  const recorded = `printf '%s\\n' "$*" >>"${folder}/arguments"`;
  // Every program that gets arguments notes them first: a secret among them is one that other users can read.
  const { output: curl } = await run('sh', ['-c', 'command -v curl']);
  commands.provide('curl', `${recorded}\nexec ${curl.trim()} "$@"`);
  for (const name of ['gh', 'vault']) commands.provide(name, `${recorded}\n. "${folder}/${name}.sh" "$@"`);
  job = await newKey();
});
afterEach(() => {
  commands.remove();
  rmSync(folder, { recursive: true });
});

async function call(method: string, body: unknown): Promise<Tree> {
  const headers = { authorization: `Bearer ${ISSUER}`, 'content-type': 'application/json' };
  const url = `${service.servicesUrl}/latchkey.v1.AccountService/${method}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as Tree;
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}
async function newKey() {
  const wish = { accountId: 'ci-bot', name: 'nightly', access: 'ACCESS_LEVEL_READ_ONLY', permissions: ['*'] };
  const { key, fullKey } = await call('CreateKey', wish);
  return { id: key.id as string, key: fullKey as string };
}
const granted = async (key: string) => (await service.clients.validate(key)).grant?.keyId;
const noted = (name: string) => readFileSync(join(folder, name), 'utf8');
const environment = (more: Record<string, string> = {}) => ({
  PATH: [commands.folder, process.env['PATH']].join(delimiter),
  LATCHKEY_URL: service.servicesUrl,
  LATCHKEY_TOKEN: ISSUER,
  KEY_ID: job.id,
  ...more,
});

interface Received {
  /** Of the form `PATCH /path`. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** An API that stores keys, and keeps what it received. @param answer by default `{}` */
async function startReceiver(answer = (response: ServerResponse): unknown => response.end('{}')) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    received.push({ url: `${request.method} ${request.url}`, headers: request.headers, text });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, close: () => server.close() };
}

/** Expects that the job's key works on, and that its successor, of which this is the string, works too. */
async function expectReplacedBy(key: string): Promise<string> {
  const id = await granted(key);
  expect(id).toEqual(expect.any(String));
  expect(id).not.toBe(job.id);
  expect(await granted(job.key)).toBe(job.id);
  expectNoSecretIn([noted('arguments')], [key, job.key, ISSUER]);
  return id!;
}
function expectNoSecretIn(texts: readonly string[], secrets: readonly string[]) {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  }
}

describe('rotate-key.sh', () => {
  const rotate = (more: Record<string, string> = {}, store = `cat >"${folder}/stored"`) =>
    run('sh', [SCRIPT, 'sh', '-c', store], { env: environment(more) });

  test('replaces a key twice, and lets the old one end after its grace', async () => {
    expect((await rotate({ GRACE_SECONDS: '0' })).code).toBe(0);
    const first = noted('stored');
    const id = await granted(first);
    expect([id === job.id, await granted(job.key)]).toEqual([false, undefined]);

    expect((await rotate({ KEY_ID: id! })).code).toBe(0);
    const second = noted('stored');
    expect([await granted(first), await granted(second)]).toEqual([id, expect.any(String)]);
    expectNoSecretIn([noted('arguments')], [first, second, ISSUER]);
  });

  test('prints no secret', async () => {
    const { output } = await rotate();
    expectNoSecretIn([output], [noted('stored'), ISSUER]);
    expect(output).toContain(`The key ${job.id} is replaced by ${await granted(noted('stored'))}`);
  });

  test('keeps the old key, and revokes the new one, if that can not be stored', async () => {
    const { code, output } = await rotate({ GRACE_SECONDS: '0' }, `cat >"${folder}/stored"; exit 3`);
    expect([code, output]).toEqual([1, expect.stringContaining('could not be stored, and is revoked')]);
    expect([await granted(noted('stored')), await granted(job.key)]).toEqual([undefined, job.id]);

    expect((await rotate()).code).toBe(0);
    await expectReplacedBy(noted('stored'));
  });

  test('gives up the key of a run whose answer was lost', async () => {
    const lost = await call('RotateKey', { keyId: job.id, idempotencyKey: `rotation-of-${job.id}` });
    expect((await rotate()).code).toBe(0);
    await expectReplacedBy(noted('stored'));
    expect(await granted(lost['fullKey'])).toBeUndefined();
  });

  test('stores nothing from an answer that is none of RotateKey', async () => {
    const other = await startReceiver();
    const { code, output } = await rotate({ LATCHKEY_URL: other.url }, `cat >"${folder}/stored-by-mistake"`);
    other.close();
    expect([code, output]).toEqual([1, expect.stringContaining('Is LATCHKEY_URL the address of SERVICES_PORT?')]);
    expect(existsSync(join(folder, 'stored-by-mistake'))).toBe(false);
  });

  test('says what Latchkey refuses', async () => {
    const { code, output } = await rotate({ KEY_ID: 'unknown' });
    expect([code, output]).toEqual([1, expect.stringContaining('Latchkey refused to rotate the key unknown: {"code"')]);
    expect((await rotate({ LATCHKEY_TOKEN: 'another-token' })).output).toContain('unauthenticated');
    expect((await rotate({ LATCHKEY_URL: '' })).output).toContain('LATCHKEY_URL: must be the URL of SERVICES_PORT');
    expect((await run('sh', [SCRIPT], { env: environment() })).output).toContain('Usage: rotate-key.sh COMMAND');
  });
});

/** What the job has sent to the cluster. */
const storedIn = ({ received }: Receiver, index: number): { readonly id: string; readonly key: string } =>
  JSON.parse(received[index]!.text).stringData;

describe("the chart's CronJob", () => {
  const values = (part: Tree = {}) =>
    valuesWith(LEAST, { keyRotation: { enabled: true, secret: 'ci-key', issuerSecret: 'ci-issuer', ...part } });
  const podOf = (objects: Tree[]) => only(objects, 'CronJob')['spec'].jobTemplate.spec.template.spec;

  test('may change one Secret and nothing else', async () => {
    const { keys } = await renderChart({ keys: values() });
    expect(keys.error).toBeUndefined();
    expect(only(keys.objects, 'Role')['rules']).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['ci-key'], verbs: ['patch'] },
    ]);
    const { keys: off } = await renderChart({ keys: valuesWith(LEAST) });
    expect(off.objects.filter(({ kind }) => kind === 'CronJob' || kind === 'Role')).toEqual([]);
  });

  test('calls Latchkey by https where that has a certificate, and trusts the authority in its Secret', async () => {
    const { keys } = await renderChart({ keys: valuesWith(values(), { grpcTls: { existingSecret: 'keys-tls' } }) });
    const { containers, volumes } = podOf(keys.objects);
    expect(containers[0].env).toEqual(
      expect.arrayContaining([
        { name: 'LATCHKEY_URL', value: 'https://keys-latchkey-services.keys:3080' },
        { name: 'CURL_CA_BUNDLE', value: '/latchkey/ca.crt' },
      ]),
    );
    expect(containers[0].volumeMounts).toContainEqual({ name: 'latchkey', mountPath: '/latchkey' });
    const secret = { secretName: 'keys-tls', items: [{ key: 'ca.crt', path: 'ca.crt' }] };
    expect(volumes).toContainEqual({ name: 'latchkey', secret });
  });

  /** Runs the job of the chart as a container would, in the folder of the test. */
  async function jobOn(cluster: Receiver) {
    writeFileSync(join(folder, 'token'), 'token-of-the-pod');
    writeFileSync(join(folder, 'ca.crt'), '');
    writeFileSync(join(folder, 'issuer'), `${ISSUER}\n`);
    const { keys } = await renderChart({ keys: values({ graceSeconds: 600 }) });
    const [{ command, env }] = podOf(keys.objects).containers;
    const { data } = keys.objects.find(({ kind, data: all }) => kind === 'ConfigMap' && 'rotate-key.sh' in all)!;
    mkdirSync(join(folder, 'scripts'));
    for (const [name, text] of Object.entries<string>(data)) writeFileSync(join(folder, 'scripts', name), text);
    const [program, ...args] = command.map((each: string) => each.replace('/scripts', `${folder}/scripts`));
    const given = Object.fromEntries(env.map(({ name, value }: Tree) => [name, value ?? '']));
    const { LATCHKEY_TOKEN: _, ...rest } = environment();
    const ofTest = {
      LATCHKEY_URL: service.servicesUrl,
      LATCHKEY_TOKEN_FILE: `${folder}/issuer`,
      CLUSTER_URL: cluster.url,
      CLUSTER_FOLDER: folder,
    };
    const runJob = (id: string) => run(program!, args, { env: { ...rest, ...given, ...ofTest, KEY_ID: id } });
    return { given, runJob };
  }

  test('replaces the key and its id in the Secret, twice', async () => {
    const cluster = await startReceiver();
    try {
      const { given, runJob } = await jobOn(cluster);
      expect(given).toMatchObject({ LATCHKEY_URL: 'http://keys-latchkey-services.keys:3080', GRACE_SECONDS: '600' });
      expect(await runJob(job.id)).toMatchObject({ code: 0 });
      const first = storedIn(cluster, 0);
      expect(await expectReplacedBy(first.key)).toBe(first.id);
      expect(cluster.received[0]).toMatchObject({
        url: 'PATCH /api/v1/namespaces/keys/secrets/ci-key',
        headers: { authorization: 'Bearer token-of-the-pod', 'content-type': 'application/merge-patch+json' },
      });
      // As the end of its grace would.
      await call('RevokeKeys', { keyId: job.id });
      expect(await runJob(first.id)).toMatchObject({ code: 0 });
      const second = storedIn(cluster, 1);
      expect([await granted(second.key), await granted(first.key)]).toEqual([second.id, first.id]);
      expectNoSecretIn([noted('arguments')], [second.key, 'token-of-the-pod']);
    } finally {
      cluster.close();
    }
  });

  test('revokes no key that the Secret may have: only the answer was lost', async () => {
    const cluster = await startReceiver((response) => response.destroy());
    try {
      const { runJob } = await jobOn(cluster);
      expect(await runJob(job.id)).toMatchObject({ code: 1, output: expect.stringContaining('may be stored or not') });
      const lost = storedIn(cluster, 0);
      expect(await granted(job.key)).toBe(job.id);
      // The Secret has the old key, because the cluster did not store the new one.
      expect(await runJob(job.id)).toMatchObject({ code: 1 });
      const stored = storedIn(cluster, 1);
      expect([await granted(lost.key), await granted(stored.key)]).toEqual([undefined, stored.id]);
    } finally {
      cluster.close();
    }
  });

  test('revokes the new key if the cluster refuses to store it', async () => {
    const cluster = await startReceiver((response) => response.writeHead(403).end());
    try {
      const { runJob } = await jobOn(cluster);
      expect(await runJob(job.id)).toMatchObject({ code: 1, output: expect.stringContaining('and is revoked') });
      expect([await granted(storedIn(cluster, 0).key), await granted(job.key)]).toEqual([undefined, job.id]);
    } finally {
      cluster.close();
    }
  });
});

describe('in a pipeline', () => {
  const recipe = (name: string) => parse(readFileSync(join(root, 'deploy/keys', name), 'utf8')) as Tree;

  test('a job of GitHub Actions stores the key as a secret of the repository, again if the answer was lost', async () => {
    mkdirSync(join(folder, '.github'));
    writeFileSync(join(folder, '.github/rotate-key.sh'), readFileSync(SCRIPT));
    const loseFirst = `[ -e "${folder}/stored" ] || lost=1; cat >"${folder}/stored"; exit \${lost:-0}`;
    writeFileSync(join(folder, 'gh.sh'), `[ "$1" = variable ] && exit 0; ${loseFirst}`);
    const step = recipe('github-actions.yml')['jobs'].rotate.steps.at(-1);
    expect(Object.keys(step.env)).toEqual(
      expect.arrayContaining(['LATCHKEY_URL', 'LATCHKEY_TOKEN', 'KEY_ID', 'GH_TOKEN']),
    );
    expect(await run('sh', ['-e', '-c', step.run], { cwd: folder, env: environment() })).toMatchObject({ code: 0 });
    const id = await expectReplacedBy(noted('stored'));
    expect(noted('arguments')).toContain(`variable set API_KEY_ID --body ${id}\nsecret set API_KEY\n`);
  });

  test.each(['variable', 'secret'])(
    'a job of GitHub Actions leaves the old key in use if it can not store the %s',
    async (refused) => {
      mkdirSync(join(folder, '.github'));
      writeFileSync(join(folder, '.github/rotate-key.sh'), readFileSync(SCRIPT));
      writeFileSync(join(folder, 'secret'), job.key);
      writeFileSync(join(folder, 'variable'), job.id);
      writeFileSync(
        join(folder, 'gh.sh'),
        `[ "$1" = ${refused} ] && exit 1
        if [ "$1" = secret ]; then cat >"${folder}/secret"; else printf %s "$5" >"${folder}/variable"; fi`,
      );
      const step = recipe('github-actions.yml')['jobs'].rotate.steps.at(-1);
      expect(await run('sh', ['-e', '-c', step.run], { cwd: folder, env: environment() })).toMatchObject({ code: 1 });
      expect([await granted(noted('secret')), noted('variable')]).toEqual([job.id, job.id]);
    },
  );

  test('a job of GitLab CI stores the key as a variable of the project, again if the answer was lost', async () => {
    let answers = 0;
    const gitlab = await startReceiver((response) => ((answers += 1) === 2 ? response.destroy() : response.end('{}')));
    try {
      writeFileSync(join(folder, 'rotate-key.sh'), readFileSync(SCRIPT));
      const { script, variables } = recipe('gitlab-ci.yml')['rotate-api-key'];
      const env = environment({
        STORE: variables.STORE.value,
        VARIABLES_TOKEN: 'variables-token',
        CI_API_V4_URL: `${gitlab.url}/api/v4`,
        CI_PROJECT_ID: '7',
      });
      expect(variables.STORE.expand).toBe(false);
      expect(await run('sh', ['-e', '-c', script.join('\n')], { cwd: folder, env })).toMatchObject({ code: 0 });
      const puts = gitlab.received.map(({ url, headers, text }) => ({
        url,
        token: headers['private-token'],
        value: /name="value"[^]*?\r\n\r\n([^]*?)\r\n--/.exec(text)?.[1],
      }));
      const key = puts[1]!.value!;
      const id = await expectReplacedBy(key);
      const url = (name: string) => `PUT /api/v4/projects/7/variables/${name}`;
      const token = 'variables-token';
      expect(puts).toEqual([
        { url: url('API_KEY_ID'), token, value: id },
        { url: url('API_KEY'), token, value: key },
        { url: url('API_KEY'), token, value: key },
      ]);
      expectNoSecretIn([noted('arguments')], [token]);
    } finally {
      gitlab.close();
    }
  });

  describe("Terraform's command", () => {
    const text = readFileSync(join(root, 'deploy/keys/rotation.tf'), 'utf8');
    const runCommand = (vault: string) => {
      const command = /<<-EOT\n(.*?)\n\s*EOT/s.exec(text)![1]!.replaceAll(/^ {6}/gm, '');
      writeFileSync(join(folder, 'vault.sh'), `[ "$2" = get ] && echo ${job.id} || ${vault}`);
      const { KEY_ID: _, ...env } = environment({ SECRET: 'secret/systems-api', SCRIPT });
      return run('sh', ['-euc', command], { env });
    };

    test('stores the key in Vault', async () => {
      expect(await runCommand(`cat >"${folder}/stored"`)).toMatchObject({ code: 0 });
      const id = await expectReplacedBy(noted('stored'));
      expect(noted('arguments')).toContain(`kv put secret/systems-api id=${id} key=-\n`);
      // What Terraform keeps of the resource is what this names.
      expect(text.match(/\b(triggers_replace|input|environment) += .*/g)).toEqual([
        'triggers_replace = [var.rotation]',
        'environment = { SECRET = var.secret, SCRIPT = "${path.module}/rotate-key.sh" }',
      ]);
    });

    test('revokes no key that Vault may have: only the answer was lost', async () => {
      const { code, output } = await runCommand(`{ cat >"${folder}/stored"; exit 2; }`);
      expect([code, output]).toEqual([1, expect.stringContaining('may be stored or not')]);
      await expectReplacedBy(noted('stored'));
    });
  });
});
