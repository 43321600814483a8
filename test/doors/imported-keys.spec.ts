import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard } from '@latchkey/guard';
import { bearer } from '../support/callers/grpc-clients.js';
import { IMPORT_PREFIX } from '../support/callers/imports.js';
import { ADMIN, ADMIN_ROUTES, MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { printFigures } from '../support/jest/long-form.js';
import { startService, type Service } from '../support/processes/service.js';
import { EchoBackend } from './echo-backend.js';
import { startProxy } from './recipe.js';
import { CADDY, HAPROXY, NGINX, withUserTokens } from './recipes.js';
import * as doors from './support/imported-doors.js';
import * as guards from './support/imported-guards.js';
import {
  CASES,
  CLIENT,
  expectedAt,
  importedKeys,
  reasonOf,
  REQUESTS,
  type State,
  STATES,
} from './support/imported-table.js';
import { envoy, forwardAuth, ownKey, ROUTES } from './support/restricted-doors.js';

const ARRIVAL = { peer: CLIENT, forwardedFor: CLIENT };
const GUARDS = Object.entries(guards.FRAMEWORKS);

describe('an imported key', () => {
  let service: Service;
  let owner: Owner;
  let keys: Readonly<Record<State, string>>;
  let ownString: string;
  let [verdicts, wrong] = [0, 0];
  const undo: (() => unknown)[] = [];
  beforeAll(async () => {
    const routes = join(mkdtempSync(join(tmpdir(), 'imported-')), 'routes.json');
    writeFileSync(routes, JSON.stringify(ROUTES));
    service = await startService({
      ...ADMIN,
      RATE_LIMIT_PER_SECOND: '1000000',
      RATE_LIMIT_BURST: '1000000',
      FORWARD_AUTH_ROUTES: routes,
      IMPORT_PREFIXES: `${IMPORT_PREFIX},sk-`,
      TRUSTED_PROXIES: 'loopback',
    });
    undo.push(() => service.stop());
    owner = await newOwner(service);
    ownString = (await owner.person.newKey()).fullKey;
    keys = await importedKeys(service);
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
    printFigures('imported keys at every door', { verdicts, wrong });
  });

  /** Compares what was seen of each case with what is expected. */
  async function compare<Case extends readonly unknown[]>(
    cases: readonly Case[],
    ask: (one: Case) => Promise<unknown>,
    expected: (one: Case) => unknown,
  ) {
    const seen = await Promise.all(cases.map(async (one) => [one, await ask(one)] as const));
    const differ = seen.filter(([one, answer]) => !isSame(answer, expected(one)));
    verdicts += cases.length;
    wrong += differ.length;
    expect(differ.map(([one, answer]) => [...one, answer])).toEqual(differ.map(([one]) => [...one, expected(one)]));
  }
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const ofEachState = STATES.map((state) => [state] as const);

  /** @param door sees imported keys */
  const expectTable = (door: doors.Door) =>
    compare(
      CASES,
      ([state, column]) => door(keys[state], REQUESTS[column]),
      ([state, column]) => expectedAt(state, column),
    );
  /** @param door also chooses by the prefixes, and leaves everything else to the service's own check */
  async function expectSeenByPrefix(door: doors.Door) {
    const words = (state: State, word: string) => (state === 'was imported, but begins like none' ? 'platform' : word);
    await compare(
      CASES,
      ([state, column]) => door(keys[state], REQUESTS[column]),
      ([state, column]) => words(state, expectedAt(state, column)),
    );
  }
  /** @param door chooses by the marker of our own keys, so an imported key, in any state, is left to the service's own check */
  async function expectUnseen(door: doors.Door) {
    await compare(
      CASES,
      ([state, column]) => door(keys[state], REQUESTS[column]),
      () => 'platform',
    );
    expect(await door(ownString, REQUESTS.read)).toBe('200');
  }
  const opened = async (opening: Promise<doors.OpenDoor>) => {
    const { door, stop } = await opening;
    undo.push(stop);
    return door;
  };

  test.each([
    ['unary', 'apiKey'],
    ['unary', 'authorization'],
    ['stream', 'apiKey'],
    ['stream', 'authorization'],
  ] as const)('is judged like any other over gRPC: %s, %s', async (kind, field) => {
    const door = doors.grpc(service, kind, field);
    await compare(
      CASES,
      ([state, column]) => door(keys[state], REQUESTS[column]),
      ([state, column]) => {
        const [status, word] = expectedAt(state, column).split(' ');
        return { status: Number(status), reason: reasonOf(state, column), isCharged: word !== 'early' };
      },
    );
  });

  test('is judged like any other at Envoy', async () => {
    const filter = envoy(service, bearer('dev-validator-token'));
    undo.push(filter.stop);
    await expectTable(async (key, sent) => doors.inWords(await filter.ask(key, sent, { peer: CLIENT })));
  });

  test.each(['nginx', 'caddy', 'traefik', 'haproxy'])(
    'is judged like any other at forward-auth for %s',
    async (mode) => {
      const ask = forwardAuth(service, mode);
      await expectTable(async (key, sent) => doors.inWords(await ask(key, sent, ARRIVAL)));
    },
  );

  /** A service behind a real proxy, whose own check accepts nobody. */
  async function behind(recipe: typeof NGINX): Promise<doors.Door> {
    const backend = await EchoBackend.start(recipe.acceptsUserTokens ? () => Promise.resolve(false) : undefined);
    undo.push(() => backend.stop());
    const proxy = await startProxy(recipe, { latchkey: new URL(service.url).host, backend: backend.address });
    undo.push(() => proxy.stop());
    return (key, { method, path }) => doors.answerOver(proxy.url, `${method} ${path}`, key);
  }

  test.each([NGINX, CADDY, HAPROXY])('is judged like any other behind $name', async (recipe) => {
    await expectTable(await behind(recipe));
  });

  test.each([NGINX, CADDY, HAPROXY])(
    "is left to the service's own check behind $name if that chooses by the marker",
    async (recipe) => {
      await expectUnseen(await behind(withUserTokens(recipe)));
    },
  );

  test.each([NGINX, CADDY, HAPROXY])(
    'is judged like any other behind $name if that chooses by the marker and the prefixes',
    async (recipe) => {
      const door = await behind({ ...withUserTokens(recipe), beginnings: `(lk_|${IMPORT_PREFIX})` });
      await expectSeenByPrefix(door);
    },
  );

  test('is judged like any other when its holder asks what it may do', async () => {
    const ask = ownKey(service);
    await compare(
      ofEachState,
      async ([state]) => doors.inWords(await ask(keys[state], REQUESTS.read, ARRIVAL)),
      ([state]) => expectedAt(state, 'any'),
    );
  });

  test('is active at introspection only where it is good', async () => {
    await compare(
      ofEachState,
      ([state]) => doors.isActive(service, keys[state]),
      ([state]) => expectedAt(state, 'active'),
    );
  });

  test('manages no keys, on any route', async () => {
    const routes = [...MANAGEMENT_ROUTES, ...ADMIN_ROUTES];
    const { id: keyId } = (await owner.person.list()).items[0]!;
    await compare(
      STATES.flatMap((state) => routes.map((route) => [state, route.name] as const)),
      ([state, name]) => {
        const route = routes.find((each) => each.name === name)!;
        return doors.answerOver(service.url, `${route.method} ${route.order(owner, keyId).path}`, keys[state]);
      },
      ([state]) => expectedAt(state, 'manage'),
    );
  });

  test.each(GUARDS)('is judged like any other at the guard in %s, over streams', async (_, open) => {
    await expectTable(await opened(open(service, 'everything')));
  });

  test.each(GUARDS)('is judged like any other at the guard in %s, over unary calls', async (_, open) => {
    const older = await guards.withoutStreams(service);
    undo.push(older.stop);
    await expectTable(await opened(open(older, 'everything')));
    expect(older.calls()).toBeGreaterThanOrEqual(CASES.length);
  });

  test('is no API key to `isApiKey`', async () => {
    const guard = createGuard({ target: service.grpcTarget, serviceToken: 'dev-validator-token' });
    undo.push(() => guard.close());
    const isApiKey = (key: string) => guard.isApiKey({ rawHeaders: ['Authorization', `Bearer ${key}`] });
    await compare(
      ofEachState,
      async ([state]) => isApiKey(keys[state]),
      () => false,
    );
    expect(isApiKey(ownString)).toBe(true);
  });

  test.each(GUARDS)('is left to `otherwise` at the guard in %s', async (_, open) => {
    await expectUnseen(await opened(open(service, 'otherwise')));
  });

  test.each(GUARDS.filter(([name]) => name !== 'NestJS'))(
    'is judged like any other at the guard in %s if `otherwise` sends on what begins like an import',
    async (_, open) => {
      await expectSeenByPrefix(await opened(open(service, 'by prefix')));
    },
  );
});
