import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { eventually } from '../support/eventually.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { type Service, startService } from '../support/processes/service.js';
import { EchoBackend } from './echo-backend.js';
import { SYSTEMS } from './guarded-backend.js';
import { startProxy } from './recipe.js';
import { ENVOY } from './recipes.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };

describe('Envoy before a backend, with the whole of its recipe', () => {
  let service: Service;
  let backend: EchoBackend;
  let owner: Owner;
  const undo: (() => unknown)[] = [];
  beforeAll(async () => {
    await buildService();
    service = await startService(UNLIMITED);
    backend = await EchoBackend.start();
    owner = await newOwner(service);
  });
  afterAll(async () => {
    for (const step of undo) await step();
    await ServiceProcess.killTheRest();
    backend.stop();
    await service.stop();
  });

  const another = () => ServiceProcess.startReady({ DATABASE_URL: service.databaseUrl, ...UNLIMITED });
  async function envoy(second?: string, serviceToken?: string) {
    const [latchkey, address] = [service.grpcTarget, backend.address];
    const proxy = await startProxy(
      ENVOY,
      { latchkey, second: second ?? latchkey, backend: address },
      { ...(serviceToken && { serviceToken }) },
    );
    undo.push(() => proxy.stop());
    return async (key: string, headers: readonly string[] = []) =>
      (await rawRequest(proxy, `GET ${SYSTEMS}`, [`Authorization: Bearer ${key}`, ...headers])).status;
  }

  /** Of an instance that is killed while it writes an answer, the caller may have half of it: such a request can't be sent again. */
  test.each([
    ['no request fails when one of two instances gets SIGTERM', 'SIGTERM', 0],
    ['no request fails that begins after one of two instances got SIGKILL', 'SIGKILL', 1],
  ] as const)('%s', async (_, signal, from) => {
    const { fullKey } = await owner.person.newKey();
    const second = await another();
    const get = await envoy(second.target);
    /** Of requests that began before it ended, and after that. */
    const statuses: [number[], number[]] = [[], []];
    let hasEnded = false;
    let isOver = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const some = statuses[hasEnded ? 1 : 0];
        some.push(await get(fullKey));
      }
    });
    await eventually(async () => statuses[0].length > 100);
    second.child.kill(signal);
    await second.ended;
    hasEnded = true;
    await eventually(async () => statuses[1].length > 200);
    isOver = true;
    await Promise.all(clients);
    expect([...new Set(statuses.slice(from).flat())]).toEqual([200]);
  });

  test('an instance without Envoy’s service token in SERVICE_TOKENS logs who was refused, and every request gets 503', async () => {
    const { fullKey } = await owner.person.newKey();
    const second = await another();
    const token = 'not-a-token-of-this-service';
    const get = await envoy(second.target, token);
    await eventually(async () => {
      expect(await get(fullKey)).toBe(503);
      return second.out.includes('sent an unknown service token to Authorization/Check');
    });
    expect(second.out).not.toContain(token);
  });

  test('a key that is limited to networks is refused over a loopback address, which Envoy does not append itself', async () => {
    const { fullKey } = await owner.person.newKey({ allowedNetworks: ['127.0.0.0/8'] });
    const get = await envoy();
    expect(await get(fullKey)).toBe(403);
    expect(await get(fullKey, ['X-Forwarded-For: 127.0.0.1'])).toBe(403);
  });
});
