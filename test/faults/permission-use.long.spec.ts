import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, type Guard } from '@latchkey/guard';
import express from 'express';
import { times } from '../support/application/calls.js';
import { CHEAP_HASH } from '../support/application/cheap.mjs';
import { bearer, connectClients } from '../support/callers/grpc-clients.js';
import { Person } from '../support/callers/person.js';
import { printFigures } from '../support/jest/long-form.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';
import { eventually } from '../support/eventually.js';
import { about, FORWARDED } from '../support/callers/forward-auth.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { ExtAuthz } from '../doors/support/ext-authz.js';

/** Keys that use 80 permissions each, and keys that use more than are kept. */
const [KEYS, WIDE_KEYS] = [200, 10];
const [USED, USED_BY_WIDE] = [80, 300];
const KEPT = 100;
const REQUESTS = 40_000;
const AT_A_TIME = 24;
const ROUTE = { method: '*', path: '/area/{n}/{item}', permission: 'area/{n}/{item}:read' };
const ITEMS = ['a', 'b', 'vip'];

interface Key {
  readonly id: string;
  readonly fullKey: string;
  readonly owner: Person;
  readonly permissions: readonly string[];
  /** By permission: how often the doors granted with it, and how often no answer came. */
  readonly granted: Map<string, number>;
  readonly unanswered: Map<string, number>;
}
/** Resolves to whether the key was granted; rejects where no verdict came. */
type Door = (key: string, n: number, item: string) => Promise<boolean>;

/** The one in ten that is longer covers what the other one covers, too. */
const permissionsOf = (used: number) =>
  times(used, (index) => (index % 10 === 9 ? `area/${index - 1}/vip:read` : `area/${index}:read`));
const covering = ({ permissions }: Key, n: number, item: string) =>
  [`area/${n}/${item}:read`, `area/${n}:read`].find((permission) => permissions.includes(permission));
const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);

/** Numbers from 0 to 1, the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

describe('what a key was used for, over every door of two instances', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let services: ServiceProcess[];
  let undo: (() => unknown)[] = [];
  const random = randomFrom(52);
  const below = (limit: number) => Math.floor(random() * limit);

  beforeAll(() => buildService());
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
    await ServiceProcess.killTheRest();
    await database.drop();
  });
  afterAll(() => ServiceProcess.killTheRest());

  const start = () => {
    const folder = mkdtempSync(join(tmpdir(), 'area-'));
    writeFileSync(join(folder, 'routes.json'), JSON.stringify([ROUTE]));
    return ServiceProcess.startReady({
      DATABASE_URL: database.url,
      FORWARD_AUTH_ROUTES: join(folder, 'routes.json'),
      LEASE_MS: '500',
      MAX_ACTIVE_KEYS: '100',
      RATE_LIMIT_PER_SECOND: '1000000',
      RATE_LIMIT_BURST: '1000000',
    });
  };

  async function newKeys(): Promise<Key[]> {
    const [service] = services;
    const clients = connectClients(service!.target);
    const keys: Key[] = [];
    for (let owned = 0; owned < 3; owned += 1) {
      const id = `owner-${owned}`;
      const email = `${id}@example.com`;
      const permissions = permissionsOf(USED_BY_WIDE);
      await clients.putAccount({ id, email, displayName: id, permissions, passwordHash: CHEAP_HASH });
      const owner = await new Person(service!.url).signIn(email);
      for (let made = owned; made < KEYS + WIDE_KEYS; made += 3) {
        // A key names at most as many as are kept. The others may do what their owner may.
        const [own, order] =
          made < KEYS ? [permissionsOf(USED), { permissions: permissionsOf(USED) }] : [permissions, {}];
        const { apiKey, fullKey } = await owner.newKey({ name: `key ${made}`, ...order });
        keys.push({ id: apiKey.id, fullKey, owner, permissions: own, granted: new Map(), unanswered: new Map() });
      }
    }
    clients.close();
    return keys;
  }

  async function guarded(guard: Guard): Promise<Door> {
    const app = express().get('/area/:n/:item', guard.protect(ROUTE.permission), (_, response) => response.json({}));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    undo.push(() => void [server.close(), guard.close()]);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return async (key, n, item) => {
      const answer = await fetch(`${url}/area/${n}/${item}`, { headers: { authorization: `Bearer ${key}` } });
      return verdict(answer.status);
    };
  }

  const verdict = (status: number) => {
    // Of a killed instance, a connection may end within an answer.
    if (status !== 200 && status !== 403) throw new Error('no verdict');
    return status === 200;
  };

  async function openDoors(): Promise<Door[]> {
    const guardOf = (leases: boolean) =>
      createGuard({
        target: `ipv4:${services.map(({ target }) => target).join(',')}`,
        serviceToken: 'dev-validator-token',
        deadlineMs: 30_000,
        leases,
      });
    const filters = services.map(({ target }) => new ExtAuthz(target, bearer('dev-validator-token')));
    undo.push(() => filters.forEach((filter) => filter.close()));
    const any = <T>(list: readonly T[]) => list[below(list.length)]!;
    const withLeases = await guarded(guardOf(true));
    return [
      withLeases,
      // Leases do their work with requests that come again at once.
      withLeases,
      await guarded(guardOf(false)),
      async (key, n, item) => {
        const headers = about(key, 'GET', `/area/${n}/${item}`, FORWARDED);
        return verdict((await rawRequest(any(services), 'GET /v1/forward-auth?mode=caddy', headers)).status);
      },
      async (key, n, item) => {
        const sent = { headers: { authorization: `Bearer ${key}` } };
        return verdict((await any(filters).pass(sent, { permission: `area/${n}/${item}:read` })).status);
      },
    ];
  }

  /** @param during is called with the number of requests so far */
  async function work(keys: readonly Key[], doors: readonly Door[], during = async (_sent: number) => {}) {
    let sent = 0;
    const client = async () => {
      while (sent < REQUESTS) {
        await during((sent += 1));
        // Most requests are made with a few keys, as in production.
        const key = keys[random() < 0.5 ? below(5) : below(keys.length)]!;
        const [n, item] = [below(key.permissions.length + 20), ITEMS[below(ITEMS.length)]!];
        const covered = covering(key, n, item);
        await doors[below(doors.length)]!(key.fullKey, n, item).then(
          (granted) => {
            if (granted !== (covered !== undefined)) throw new Error(`wrong verdict for area/${n}/${item}`);
            if (covered) add(key.granted, covered);
          },
          () => covered && add(key.unanswered, covered),
        );
      }
    };
    await Promise.all(times(AT_A_TIME, client));
  }

  async function shownOf({ owner, id }: Key): Promise<Map<string, number>> {
    const { permissionUse } = (await owner.call('GET', `/v1/api-keys/${id}`)).body as {
      permissionUse: { permission: string; count: number }[];
    };
    return new Map(permissionUse.map(({ permission, count }) => [permission, count]));
  }
  const storedCount = async () => {
    const [row] = await sql<{ n: number }>(
      database.url,
      'SELECT coalesce(sum(count), 0)::int AS n FROM api_key_permissions',
    );
    return row!.n;
  };
  const leasedCount = async () => {
    const metrics = await Promise.all(services.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    return sum(
      metrics.map((text) => Number(/^latchkey_lease_uses_reported_total(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? 0)),
    );
  };

  test('is what was granted, each once', async () => {
    database = await createDatabase();
    services = [await start(), await start()];
    const keys = await newKeys();
    await work(keys, await openDoors());
    const granted = sum(keys.map((key) => sum(key.granted.values())));
    await eventually(async () => (await storedCount()) === granted);
    let [compared, different] = [0, 0];
    for (const key of keys) {
      const shown = await shownOf(key);
      expect([...key.unanswered]).toEqual([]);
      expect(sum(shown.values())).toBe(sum(key.granted.values()));
      const listed = [...shown].filter(([name]) => key.permissions.includes(name));
      expect(listed.length).toBe(Math.min(KEPT, key.granted.size));
      const isWide = key.permissions.length > KEPT;
      for (const [name, count] of listed) {
        compared += 1;
        const own = key.granted.get(name) ?? 0;
        if (isWide ? count > own : count !== own) different += 1;
      }
    }
    const leased = await leasedCount();
    expect(leased).toBeGreaterThan(0);
    printFigures('permissions used, against a list kept outside', {
      keys: keys.length,
      granted,
      'under leases': leased,
      'permissions compared': compared,
      different,
    });
    expect(different).toBe(0);
  }, 600_000);

  test('counts nothing twice when instances are killed', async () => {
    database = await createDatabase();
    services = [await start(), await start()];
    const keys = await newKeys();
    let kills = 0;
    const doors = await openDoors();
    // The guards know both addresses, so the instance that takes the place of a killed one listens there.
    await work(keys, doors, async (sent) => {
      if (sent % (REQUESTS / 4) !== 0) return;
      kills += 1;
      const victim = services[kills % 2]!;
      victim.child.kill('SIGKILL');
      await victim.ended;
      services[kills % 2] = await victim.again();
    });
    for (const service of services) {
      service.child.kill('SIGTERM');
      await service.ended;
    }
    services = [await services[0]!.again()];
    let [granted, shown, tooMany] = [0, 0, 0];
    for (const key of keys) {
      for (const [name, count] of await shownOf(key)) {
        shown += count;
        const most = (key.granted.get(name) ?? 0) + (key.unanswered.get(name) ?? 0);
        if (key.permissions.includes(name) && count > most) tooMany += 1;
      }
      granted += sum(key.granted.values());
    }
    printFigures('permissions used, with kill -9', { kills, granted, shown, 'counted twice': tooMany });
    expect(shown).toBeGreaterThan(granted / 2);
    expect(tooMany).toBe(0);
  }, 600_000);
});
