import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import { type PlatformLogin, startPlatformLogin } from '../support/platform/platform-login.js';
import { startService, type Service } from '../support/processes/service.js';
import { putKeys } from './support/rows.js';
import { Stage } from './support/stage.js';

const ADMIN_PERMISSION = 'api-keys:administer';

/** What a person may want to do with a key of a service account. */
const OPERATIONS = ['list', 'show', 'permissions', 'create', 'rotate', 'rename', 'revoke', 'activity'] as const;
type Operation = (typeof OPERATIONS)[number];

const ACTORS = [
  'manager',
  'second manager',
  'manager of a suspended account',
  'manager of a deleted account',
  'former manager',
  'suspended manager',
  'deleted manager',
  'purged and re-created manager',
  'administrator',
  'stranger',
  'API key of the account',
  'API key of the manager',
  'made-up API key',
  'the service account itself',
] as const;
type Actor = (typeof ACTORS)[number];

const DOORS = ['HTTP', 'screen', 'panel'] as const;
type Door = (typeof DOORS)[number];

const SUCCESS: Readonly<Record<Operation, number>> = {
  list: 200,
  show: 200,
  permissions: 200,
  create: 201,
  rotate: 201,
  rename: 200,
  revoke: 200,
  activity: 200,
};

/** The contract, written down here a second time: it imports nothing of the service. */
function expected(actor: Actor, operation: Operation): number {
  if (actor === 'manager' || actor === 'second manager') return SUCCESS[operation];
  if (actor === 'manager of a suspended account' || actor === 'manager of a deleted account') {
    return operation === 'create' || operation === 'rotate' ? 409 : SUCCESS[operation];
  }
  if (actor === 'API key of the account' || actor === 'API key of the manager') return 403;
  const hasNoSession = ['suspended manager', 'deleted manager', 'made-up API key', 'the service account itself'];
  return hasNoSession.includes(actor) ? 401 : 404;
}

interface Scene {
  readonly bot: string;
  /** Another manager, who still is one. */
  readonly keeper: Owner;
  readonly actor: Owner | undefined;
  /** For an actor that presents a key in place of a session. */
  readonly fullKey: string | undefined;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers: Readonly<Record<string, string>>;
}

let service: Service;
let stage: Stage;
let login: PlatformLogin;
let host: Server;
let hostUrl: string;
/** Of all actors, one after the other: with another cookie, or with another token. */
let screen: Page;
let panel: Page;
beforeAll(async () => {
  login = await startPlatformLogin();
  host = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><link rel="icon" href="data:," /><title>A page of the platform</title>');
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  hostUrl = `http://localhost:${(host.address() as AddressInfo).port}`;
  service = await startService({
    ...login.env,
    ALLOWED_ORIGINS: hostUrl,
    PASSWORD_SIGN_IN: 'on',
    KEY_CHANGES_PER_HOUR: '0',
    ADMIN_PERMISSION,
  });
  stage = await Stage.start(service, hostUrl);
  screen = await stage.visit(`${service.url}/settings/api-keys`);
  panel = await stage.visit(hostUrl);
});
afterAll(() => stage?.clear());
afterAll(async () => {
  await stage?.stop();
  host?.closeAllConnections();
  host?.close();
  await login?.stop();
});

const tokenOf = (id: string) => login.token({ sub: id });
const putBot = (id: string, managers: readonly string[]) =>
  service.clients.putAccount({
    id,
    displayName: 'CI bot',
    permissions: ['systems:read', 'systems:write'],
    kind: 'ACCOUNT_KIND_SERVICE',
    managers: { ids: [...managers] },
    limits: { maxActiveKeys: 100 },
  });
const newKeyOf = async (bot: string, { person }: Owner) => {
  const order = { name: 'CI', access: 'read-only', expiresInDays: 1, password: PASSWORD };
  const { status, body } = await person.call('POST', `/v1/api-keys?account=${bot}`, order);
  expect(status).toBe(201);
  return body as { apiKey: { id: string }; fullKey: string };
};

/** A service account of its own for each actor. The actor is signed in, if it ever could be. */
async function scene(actor: Actor): Promise<Scene> {
  const bot = `bot-${randomUUID()}`;
  const keeper = await newOwner(service);
  const isAdministrator = actor === 'administrator';
  const person = await newOwner(service, isAdministrator ? { permissions: ['systems:read', ADMIN_PERMISSION] } : {});
  const isNamed = !['administrator', 'stranger'].includes(actor);
  await putBot(bot, isNamed ? [keeper.id, person.id] : [keeper.id]);
  const made = { bot, keeper, actor: person, fullKey: undefined };
  if (actor === 'former manager') await putBot(bot, [keeper.id]);
  if (actor === 'suspended manager') await service.clients.account('SuspendAccount', person.id);
  if (actor === 'deleted manager') await service.clients.account('DeleteAccount', person.id);
  if (actor === 'purged and re-created manager') {
    await service.clients.purgeAccount(person.id, 1);
    return { ...made, actor: await newOwner(service, { id: person.id, version: 2 }) };
  }
  if (actor === 'API key of the account') return { ...made, actor: undefined, ...(await newKeyOf(bot, keeper)) };
  if (actor === 'API key of the manager') return { ...made, actor: undefined, ...(await person.person.newKey()) };
  if (actor === 'made-up API key')
    return { ...made, actor: undefined, fullKey: `lk_${'0'.repeat(24)}.${'0'.repeat(64)}` };
  if (actor === 'the service account itself') return { ...made, actor: { ...person, id: bot } };
  return made;
}

/** The status of the account is changed once its key is made. */
async function settle(actor: Actor, bot: string): Promise<void> {
  if (actor === 'manager of a suspended account') await service.clients.account('SuspendAccount', bot);
  if (actor === 'manager of a deleted account') await service.clients.account('DeleteAccount', bot);
}

function requestOf(operation: Operation, keyId: string, name: string): Omit<Request, 'headers'> {
  const order = { name, access: 'read-only', expiresInDays: 1, password: PASSWORD };
  return {
    list: { method: 'GET', path: '/v1/api-keys' },
    show: { method: 'GET', path: `/v1/api-keys/${keyId}` },
    permissions: { method: 'GET', path: '/v1/permissions' },
    create: { method: 'POST', path: '/v1/api-keys', body: order },
    rotate: { method: 'POST', path: `/v1/api-keys/${keyId}/rotate`, body: { password: PASSWORD } },
    rename: { method: 'PATCH', path: `/v1/api-keys/${keyId}`, body: { name } },
    revoke: { method: 'POST', path: `/v1/api-keys/${keyId}/revoke` },
    activity: { method: 'GET', path: '/v1/audit-events' },
  }[operation];
}

/** From within the page, with its cookies, or across origins with a token. */
function fromPage(page: Page, { method, path, body, headers }: Request): Promise<number> {
  const init = { method, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) } };
  return page.evaluate(async ([url, given]) => (await fetch(url, { ...given, credentials: 'same-origin' })).status, [
    service.url + path,
    { ...init, ...(body && { body: JSON.stringify(body) }) },
  ] as const);
}

async function callers({ actor, fullKey, bot }: Scene): Promise<Record<Door, (request: Request) => Promise<number>>> {
  const key = fullKey === undefined ? {} : { authorization: `Bearer ${fullKey}` };
  const token = actor ? { authorization: `Bearer ${await tokenOf(actor.id)}` } : key;
  const isItself = actor?.id === bot;
  const session = isItself ? undefined : actor;
  await screen.context().clearCookies();
  if (session) await screen.context().addCookies([stage.cookieOf(session)]);
  return {
    HTTP: async ({ method, path, body, headers }) => {
      const credentials = isItself ? token : { ...key, ...(session && { cookie: session.person.cookie }) };
      return (await service.person().call(method, path, body, { ...headers, ...credentials })).status;
    },
    screen: (request) => fromPage(screen, { ...request, headers: { ...request.headers, ...key } }),
    panel: (request) => fromPage(panel, { ...request, headers: { ...request.headers, ...token } }),
  };
}

interface Key {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly replaces: string | null;
}

/** The keys of the account, as a manager who still is one sees them. */
async function keysOf({ bot, keeper }: Scene): Promise<readonly Key[]> {
  const { body } = await keeper.person.call('GET', `/v1/api-keys?account=${bot}`);
  return body.items as Key[];
}

/** What an operation changed on a key that was there for it alone. */
function changesOf(keyId: string, newName: string, keys: readonly Key[]): string[] {
  const key = keys.find(({ id }) => id === keyId)!;
  return [
    ...(keys.some(({ name, id }) => name === newName && id !== keyId) ? ['create'] : []),
    ...(keys.some(({ replaces }) => replaces === keyId) ? ['rotate'] : []),
    ...(key.name === newName ? ['rename'] : []),
    ...(key.status === 'revoked' ? ['revoke'] : []),
  ];
}

const CHANGES: readonly Operation[] = ['create', 'rotate', 'rename', 'revoke'];
const CASES = OPERATIONS.flatMap((operation) =>
  DOORS.map((door) => ({ operation, door, name: `${operation} by ${door}` })),
);

test.each(ACTORS)(
  'every operation on the keys of a service account is answered as the contract says: %s',
  async (actor) => {
    const made = await scene(actor);
    await putKeys(
      service,
      { id: made.bot },
      CASES.map(({ name }) => ({ name: `for ${name}` })),
    );
    const before = await keysOf(made);
    await settle(actor, made.bot);
    const call = await callers(made);
    const answered = [];
    for (const { operation, door, name } of CASES) {
      const { id } = before.find((key) => key.name === `for ${name}`)!;
      const { path, ...request } = requestOf(operation, id, name);
      // oxlint-disable-next-line no-await-in-loop
      const status = await call[door]({ ...request, path: `${path}?account=${made.bot}`, headers: {} });
      answered.push({ operation, door, name, id, status });
    }
    const after = await keysOf(made);
    const seen = answered.map(({ id, name, ...rest }) => ({ ...rest, changed: changesOf(id, name, after) }));
    const should = CASES.map(({ operation, door }) => {
      const status = expected(actor, operation);
      return { operation, door, status, changed: status < 300 && CHANGES.includes(operation) ? [operation] : [] };
    });
    expect(seen).toEqual(should);
    const added = should.filter(({ changed }) => changed.some((one) => one === 'create' || one === 'rotate'));
    expect(after).toHaveLength(before.length + added.length);
  },
);
