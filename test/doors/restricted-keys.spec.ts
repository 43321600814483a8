import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer } from '../support/callers/grpc-clients.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import * as doors from './support/restricted-doors.js';
import {
  AT_ENVOY,
  DIRECT,
  naively,
  NETWORKS,
  OF_KEY,
  OWNERS,
  PASSED_ON,
  REQUESTS,
  type Row,
  TRUSTED,
  UNTRUSTED,
} from './support/restricted-table.js';

describe('a key that is limited to permissions and a network', () => {
  let [service, untrusting]: Service[] = [];
  let owner: Owner;
  let key: string;
  const undo: (() => unknown)[] = [];
  beforeAll(async () => {
    const routes = join(mkdtempSync(join(tmpdir(), 'restricted-')), 'routes.json');
    writeFileSync(routes, JSON.stringify(doors.ROUTES));
    const limits = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
    const env = { ...limits, FORWARD_AUTH_ROUTES: routes };
    service = await startService({ ...env, TRUSTED_PROXIES: 'loopback' });
    undo.push(() => service!.stop());
    untrusting = await startService({ ...env, DATABASE_URL: service.databaseUrl });
    undo.push(() => untrusting!.stop());
    owner = await newOwner(service, { permissions: OWNERS });
    key = (await owner.person.newKey({ permissions: OF_KEY, allowedNetworks: NETWORKS })).fullKey;
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  /** @param expected what a door makes of the naive verdict */
  async function expectTable(ask: doors.Ask, rows: readonly Row[], requests = REQUESTS, expected = naively) {
    const cases = rows.flatMap((row) => requests.map((request) => [...row, request] as const));
    const seen = await Promise.all(
      cases.map(async ([what, arrival, , request]) => [what, request, await ask(key, request, arrival)]),
    );
    expect(seen).toEqual(cases.map(([what, , believed, request]) => [what, request, expected(request, believed)]));
  }
  const opened = async ({ ask, stop }: { ask: doors.Ask; stop: () => unknown }) => {
    undo.push(stop);
    return ask;
  };

  test.each(['unary', 'stream'] as const)('is judged right over gRPC (%s)', async (kind) => {
    await expectTable(doors.grpc(service!, kind), PASSED_ON);
  });

  test.each(['nginx', 'caddy', 'traefik', 'haproxy'])('is judged right at forward-auth for %s', async (mode) => {
    const [what, arrival] = DIRECT;
    const unnamed: Row = [what, arrival, undefined];
    await expectTable(doors.forwardAuth(service!, mode), [...TRUSTED, unnamed]);
    await expectTable(doors.forwardAuth(untrusting!, mode), [...UNTRUSTED, unnamed]);
  });

  test.each(['Express', 'Fastify'] as const)('is judged right at the guard in %s', async (framework) => {
    await expectTable(await opened(await doors.guarded(service!, framework, true)), [...TRUSTED, DIRECT]);
    await expectTable(await opened(await doors.guarded(service!, framework, false)), [...UNTRUSTED, DIRECT]);
  });

  test('is judged right at Envoy', async () => {
    const gets = REQUESTS.filter(({ permission }) => permission !== '');
    await expectTable(await opened(doors.envoy(service!, bearer('dev-validator-token'))), AT_ENVOY, gets);
  });

  const [ANY] = REQUESTS.slice(-1);

  test('is judged right when its holder asks what it may do', async () => {
    await expectTable(doors.ownKey(service!), [...TRUSTED, DIRECT], [ANY!]);
    await expectTable(doors.ownKey(untrusting!), [...UNTRUSTED, DIRECT], [ANY!]);
  });

  test('manages no keys, and is charged only inside its network', async () => {
    const expected: typeof naively = (request, address) => {
      const { hasRateLimit } = naively(request, address);
      return { status: 403, hasScope: hasRateLimit, hasRateLimit };
    };
    await expectTable(doors.management(service!), [...TRUSTED, DIRECT], [ANY!], expected);
    await expectTable(doors.management(untrusting!), [...UNTRUSTED, DIRECT], [ANY!], expected);
  });

  test('is inactive at introspection, which does not know the address', async () => {
    const introspect = async (token: string) => {
      const headers = { authorization: 'Bearer dev-validator-token' };
      const body = new URLSearchParams({ token });
      return (await fetch(`${service!.url}/v1/introspect`, { method: 'POST', headers, body })).json();
    };
    expect(await introspect(key)).toEqual({ active: false });
    const { fullKey } = await owner.person.newKey({ permissions: OF_KEY });
    expect(await introspect(fullKey)).toMatchObject({ active: true, scope: OF_KEY.join(' ') });
  });
});
