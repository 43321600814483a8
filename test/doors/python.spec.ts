import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { succeed } from '../../scripts/lib/run.mjs';
import { pythonWith } from '../../scripts/testing/programs.mjs';
import { tools } from '../../scripts/tools.mjs';
import { eventually } from '../support/eventually.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { CALL_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { type Service, startService } from '../support/processes/service.js';
import { routesFile } from '../support/callers/forward-auth.js';
import { type Proxy, startProxy } from './recipe.js';
import { NGINX } from './recipes.js';

describe('the Python examples', () => {
  const folder = join(root, 'examples/python');
  const BURST = 4;
  const python = {
    command: pythonWith(tools['grpcio and protobuf of python3']!.modules!)!,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  };

  const children: ChildProcess[] = [];
  let service: Service;
  let stopping: Promise<void> | undefined;
  let owner: Owner;
  let good: string;
  let readOnly: string;
  let proxy: Proxy;
  let overGrpc: string;
  let behindProxy: string;
  beforeAll(async () => {
    await succeed(process.execPath, [join(root, 'scripts/build.mjs'), 'python']);
    const limits = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) };
    service = await startService({ ...limits, FORWARD_AUTH_ROUTES: routesFile() });
    owner = await newOwner(service);
    good = (await owner.person.newKey()).fullKey;
    readOnly = (await owner.person.newKey({ access: 'read-only' })).fullKey;
    [overGrpc, behindProxy] = await Promise.all([start('over_grpc.py'), start('behind_proxy.py')]);
    proxy = await startProxy(NGINX, { latchkey: new URL(service.url).host, backend: new URL(behindProxy).host });
  });
  afterAll(async () => {
    await proxy?.stop();
    for (const child of children.filter(({ exitCode }) => exitCode === null)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await stopLatchkey();
  });

  const stopLatchkey = () => (stopping ??= service.stop());

  async function start(name: string): Promise<string> {
    const PORT = String(await freePort());
    const settings = { LATCHKEY_GRPC_TARGET: service.grpcTarget, LATCHKEY_SERVICE_TOKEN: 'dev-validator-token', PORT };
    const env = { ...python.env, ...settings, LATCHKEY_DEADLINE_MS: String(CALL_TIMEOUT_MS) };
    const child = spawn(python.command, [join(folder, name)], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    let output = '';
    child.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    process.once('exit', () => child.kill('SIGKILL'));
    const url = `http://127.0.0.1:${PORT}`;
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
      return fetch(url).catch(() => undefined);
    });
    return url;
  }

  const call = async (url: string, key?: string, method = 'GET', claims: Record<string, string> = {}) => {
    const credential = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(url, { method, headers: { ...credential, ...claims } });
    const { headers, status } = response;
    return { status, headers, body: (await response.json()) as object };
  };

  test('over_grpc.py serves the owner of a key, and refuses other requests like the guard', async () => {
    expect(await call(overGrpc, good)).toMatchObject({ status: 200, body: { owner: owner.id } });
    for (const none of [undefined, unknownKey()]) {
      const { status, headers, body } = await call(overGrpc, none);
      expect([status, body, headers.get('www-authenticate')]).toEqual([401, { message: 'invalid api key' }, 'Bearer']);
    }
    for (const [method, scope] of [
      ['POST', ', scope="systems:write"'],
      ['DELETE', ''],
    ] as const) {
      const { status, headers, body } = await call(overGrpc, readOnly, method);
      expect([status, body]).toEqual([403, { message: 'operation not allowed' }]);
      expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope"${scope}`);
    }
    const limited = await eventually(async () => {
      const answer = await call(overGrpc, good);
      return answer.status !== 200 && answer;
    });
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
  });

  test('over_grpc.py serves a key of a network only there, and believes no address that a client claims', async () => {
    const { fullKey } = await owner.person.newKey({ allowedNetworks: ['127.0.0.0/8'] });
    expect(await call(overGrpc, fullKey)).toMatchObject({ status: 200 });
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP']) {
      const { status, headers, body } = await call(overGrpc, fullKey, 'GET', { [name]: '127.0.0.1' });
      expect([status, body]).toEqual([403, { message: 'operation not allowed' }]);
      expect(headers.get('www-authenticate')).toBeNull();
    }
  });

  test('behind_proxy.py serves the owner that the proxy names, and refuses requests without one', async () => {
    const { fullKey } = await owner.person.newKey();
    expect(await call(`${proxy.url}/systems`, fullKey)).toMatchObject({ status: 200, body: { owner: owner.id } });
    expect((await call(`${proxy.url}/systems`, unknownKey())).status).toBe(401);
    expect((await call(behindProxy, fullKey)).status).toBe(401);
  });

  test('over_grpc.py answers 503 without Latchkey, and calls no key invalid', async () => {
    await stopLatchkey();
    expect(await call(overGrpc, readOnly)).toMatchObject({ status: 503, body: { message: 'service unavailable' } });
  });
});

describe('the Python guard', () => {
  /** Asks about each line, "method permission key", and prints the status, the owner, and whether a lease was enough. */
  const PROGRAM = `
import sys
from latchkey_guard import Granted, Guard, Hooks, Request
sources = []
hooks = Hooks(on_decision=lambda decided: sources.append(decided.source))
guard = Guard(sys.argv[1], "dev-validator-token", deadline_ms=${CALL_TIMEOUT_MS}, leases=True, hooks=hooks)
for line in sys.stdin:
    method, permission, key = line.split()
    decision = guard.protect(Request(method, [("authorization", f"Bearer {key}")], peer="192.0.2.7"), permission)
    owner = decision.principal.owner_id if isinstance(decision, Granted) else decision.reason
    print(decision.status, owner, sources[-1], flush=True)
guard.close()
`;

  let service: Service;
  let guard: ReturnType<typeof spawn>;
  let lines: AsyncIterator<string>;
  let reader: Interface;
  beforeAll(async () => {
    service = await startService({ LEASE_MS: '2000' });
    const env = { ...process.env, PYTHONPATH: join(root, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
    const args = ['-c', PROGRAM, service.servicesUrl];
    guard = spawn('python3', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    reader = createInterface({ input: guard.stdout! });
    lines = reader[Symbol.asyncIterator]();
  });
  afterAll(async () => {
    guard.stdin!.end();
    reader.close();
    await service.stop();
  });

  const ask = async (method: string, permission: string, key: string): Promise<string> => {
    guard.stdin!.write(`${method} ${permission} ${key}\n`);
    return (await lines.next()).value as string;
  };

  test('decides as the service does, and refuses a key from the moment that its revocation is answered', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ access: 'read-only' });
    expect(await ask('GET', 'systems:read', fullKey)).toBe(`200 ${id} service`);
    // A busy machine may take longer than the lease lasts.
    const answers = [];
    do answers.push(await ask('GET', 'systems/42:read', fullKey));
    while (answers.at(-1) !== `200 ${id} lease` && answers.length < 50);
    expect(answers.at(-1)).toBe(`200 ${id} lease`);
    expect(await ask('POST', 'systems:write', fullKey)).toBe('403 READ_ONLY_KEY service');
    expect(await ask('GET', 'systems:read', unknownKey())).toBe('401 INVALID_KEY service');
    expect((await person.call('POST', `/v1/api-keys/${apiKey.id}/revoke`, {})).status).toBe(200);
    expect(await ask('GET', 'systems:read', fullKey)).toBe('401 REVOKED service');
  });
});
