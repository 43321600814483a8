import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { connectClients, type Clients } from '../support/callers/grpc-clients.js';
import { Person } from '../support/callers/person.js';
import { buildService } from '../support/processes/service-process.js';
import { freePorts } from '../support/processes/hosted-service.mjs';
import { environmentOf, readStages, textsOf } from './dockerfile.js';
import { layOut } from './image-tree.js';

const stage = readStages().find(({ name }) => name === 'latchkey')!;
/** The user of the image. The current user, if we are not root or if only root may enter the folder of node. */
const [uid, gid] = imageUser();
const TOKENS = { validator: 'a validator of this test', admin: 'a platform of this test' };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function imageUser(): number[] {
  if (process.getuid?.() !== 0) return [];
  const [user, group] = textsOf(stage, 'USER')[0]!.split(':').map(Number) as [number, number];
  const { status } = spawnSync(process.execPath, ['--version'], { uid: user, gid: group, cwd: '/' });
  return status === 0 ? [user, group] : [];
}

describe('the image', () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ChildProcess;
  let clients: Clients;
  let url: string;
  let output = '';
  beforeAll(async () => {
    await buildService();
    folder = mkdtempSync(join(tmpdir(), 'image-'));
    chmodSync(folder, 0o755);
    layOut(stage, folder);
    database = await createDatabase();
    const ports = await freePorts();
    url = `http://127.0.0.1:${ports.HTTP_PORT}`;
    const [, ...args] = JSON.parse(textsOf(stage, 'CMD')[0]!) as string[];
    const env = {
      ...environmentOf(stage),
      HOST: '127.0.0.1',
      // Writing anywhere must fail.
      TMPDIR: '/nowhere',
      HOME: '/nowhere',
      DATABASE_URL: database.url,
      SERVICE_TOKENS: `it:validator:${sha256(TOKENS.validator)},it:accounts:${sha256(TOKENS.admin)}`,
      ...ports,
    };
    service = spawn(process.execPath, args, { cwd: folder, env, uid, gid, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [service.stdout!, service.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
    clients = connectClients(`127.0.0.1:${ports.GRPC_PORT}`, TOKENS);
  });
  afterAll(async () => {
    service?.kill('SIGKILL');
    clients?.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('contains all that the service needs in production, without a writable folder', async () => {
    await eventually(async () => service.exitCode !== null || (await answers('/readyz')) === 200);
    expect({ exitCode: service.exitCode, output }).toMatchObject({ exitCode: null });
    expect(environmentOf(stage)['NODE_ENV']).toBe('production');

    await clients.putAccount({ id: 'ada', email: 'ada@example.com', displayName: 'Ada', password: 'a long password' });
    const ada = await new Person(url).signIn('ada@example.com', 'a long password');
    const { apiKey, fullKey } = await ada.newKey({ password: 'a long password' });
    expect((await clients.validate(fullKey)).grant?.ownerId).toBe('ada');
    await ada.revoke(apiKey.id);
    expect((await clients.validate(fullKey)).denial?.reason).toBe('REASON_REVOKED');
    for (const path of ['/settings/api-keys', '/openapi.json', '/metrics']) expect(await answers(path)).toBe(200);
  });

  test('stops in order on SIGTERM', async () => {
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });

  test('has its packages listed in the bill of materials', async () => {
    const list = readStages().find(({ name }) => name === 'latchkey-sbom')!;
    const { code, output: said } = await run('sh', ['-c', textsOf(list, 'RUN')[0]!], { cwd: folder });
    expect(code === 0 ? '' : said).toBe('');
    const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { bomFormat, metadata, components } = JSON.parse(readFileSync(join(folder, 'latchkey.cdx.json'), 'utf8'));
    expect({ bomFormat, of: metadata.component.purl }).toEqual({
      bomFormat: 'CycloneDX',
      of: `pkg:npm/latchkey@${version}`,
    });
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(names.filter((name: string) => /^(jest|typescript|vite)$/.test(name))).toEqual([]);
  });

  const answers = (path: string) =>
    fetch(url + path).then(
      ({ status }) => status,
      () => undefined,
    );
});
