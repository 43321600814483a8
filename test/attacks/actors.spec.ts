import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { DEMO_SERVICE_TOKENS } from '#config/service-roles.js';
import { MANAGEMENT_ROUTES, type ManagementRoute } from '../support/callers/management-routes.js';
import { newOwner, type Owner, PASSWORD } from '../support/callers/owners.js';
import { type Service, sharedService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';

describe('someone who is not the owner', () => {
  type Headers = Record<string, string>;

  /** The actor's standing with the service, which decides the answer of every route. */
  type Standing = 'anonymous' | 'bearer of another token' | 'bearer of a key' | 'another owner';

  interface Actor {
    readonly name: string;
    readonly standing: Standing;
    credentials(victim: Owner, service: Service): Promise<Headers>;
  }

  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const cookieOf = ({ person }: Owner): Headers => ({ cookie: person.cookie });

  /** A session that was valid until something ended it. */
  function endedSession(name: string, end: (owner: Owner, service: Service) => Promise<unknown>): Actor {
    return {
      name: `a session ${name}`,
      standing: 'anonymous',
      credentials: async (_, service) => {
        const owner = await newOwner(service);
        await end(owner, service);
        return cookieOf(owner);
      },
    };
  }

  function actor(name: string, standing: Standing, credentials: Actor['credentials']): Actor {
    return { name, standing, credentials };
  }

  const ACTORS: readonly Actor[] = [
    actor('an anonymous caller', 'anonymous', async () => ({})),
    actor('an anonymous caller who claims to be the owner', 'anonymous', async ({ id, email }) => ({
      'x-owner-id': id,
      'x-user-id': id,
      'x-forwarded-user': id,
      'x-forwarded-email': email,
      'x-remote-user': id,
      forwarded: `for=127.0.0.1;by=${id}`,
    })),
    actor('a made-up session', 'anonymous', async () => ({ cookie: `latchkey_session=${'A'.repeat(43)}` })),
    endedSession('that was signed out', ({ person }) => person.call('DELETE', '/v1/session')),
    endedSession('past its twelve hours', ({ id }, { databaseUrl }) =>
      sql(databaseUrl, 'UPDATE sessions SET expires_at = now() WHERE account_id = $1', [id]),
    ),
    endedSession('from before a password change', ({ id, email }, { clients }) =>
      clients.putAccount({ id, email, password: `${PASSWORD}!` }),
    ),
    endedSession('of a suspended owner', ({ id }, { clients }) => clients.account('SuspendAccount', id)),
    endedSession('of a deleted owner', ({ id }, { clients }) => clients.account('DeleteAccount', id)),
    actor('a validator token', 'bearer of another token', async () => bearer('dev-validator-token')),
    actor('an accounts token', 'bearer of another token', async () => bearer('dev-accounts-token')),
    actor("the owner's session as a bearer token", 'bearer of another token', async ({ person }) =>
      bearer(person.cookie.split('=')[1]!),
    ),
    actor("the owner's password as a bearer token", 'bearer of another token', async () => bearer(PASSWORD)),
    actor("the owner's own key", 'bearer of a key', async ({ person }) => bearer((await person.newKey()).fullKey)),
    actor("another owner's key", 'bearer of a key', async (_, service) =>
      bearer((await (await newOwner(service)).person.newKey()).fullKey),
    ),
    actor('another owner', 'another owner', async (_, service) => cookieOf(await newOwner(service))),
    actor('another owner who claims to be the owner', 'another owner', async ({ id }, service) => ({
      ...cookieOf(await newOwner(service)),
      'x-owner-id': id,
    })),
  ];

  const isSignIn = ({ name }: ManagementRoute) => name === 'POST /v1/session';
  const isAboutOneKey = ({ name }: ManagementRoute) => name.includes('{id}');

  function expectedStatus(standing: Standing, route: ManagementRoute): number {
    if (standing === 'bearer of a key') return 403;
    if (standing === 'bearer of another token') return 401;
    if (isSignIn(route)) return 401;
    if (standing === 'anonymous') return route.anonymous;
    return isAboutOneKey(route) ? 404 : route.success;
  }

  let service: Service;
  let database: pg.Client;
  let victim: Owner;
  let keyId: string;
  let before: unknown;
  beforeAll(async () => {
    service = await sharedService();
    database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    victim = await newOwner(service);
    keyId = (await victim.person.newKey()).apiKey.id;
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
  });

  /** All stored data of the victim, except recorded failures. */
  const storedData = async () => {
    const { rows } = await database.query(
      `SELECT a::text FROM accounts a WHERE id = $1 UNION ALL SELECT k::text FROM api_keys k WHERE owner_id = $1
       UNION ALL SELECT s::text FROM sessions s WHERE account_id = $1`,
      [victim.id],
    );
    return rows;
  };

  describe.each(ACTORS)('$name', ({ standing, credentials }) => {
    let headers: Headers;
    beforeAll(async () => {
      headers = await credentials(victim, service);
      before = await storedData();
    });

    const cases = MANAGEMENT_ROUTES.flatMap((route) => {
      const objects = isAboutOneKey(route) ? ["the owner's key", 'an unknown key', 'an invalid id'] : ['the owner'];
      return objects.map((object) => ({ route, object, status: expectedStatus(standing, route) }));
    });

    test.each(cases)('is answered $status by $route.name about $object, without data or changes', async (attempt) => {
      const { route, object, status } = attempt;
      const ids: Record<string, string> = { 'an unknown key': randomUUID(), 'an invalid id': `${keyId}'--` };
      const order = route.order(victim, ids[object] ?? keyId);
      const body = isSignIn(route) ? { email: `${randomUUID()}@example.com`, password: PASSWORD } : order.body;
      const answer = await service.person().call(route.method, order.path, body, headers);
      expect(answer.status).toBe(status);
      expect(await storedData()).toEqual(before);
      const received = JSON.stringify([answer.body, [...answer.headers]]);
      for (const fact of [keyId, victim.id, victim.email]) expect(received).not.toContain(`"${fact}"`);
    });
  });
});

describe('a credential of a person or a key', () => {
  let service: Service;
  let owner: Owner;
  let fullKey: string;
  beforeAll(async () => {
    service = await sharedService();
    owner = await newOwner(service);
    fullKey = (await owner.person.newKey()).fullKey;
  });
  afterAll(() => service.stop());

  const definitionsOf = (client: object) =>
    Object.values(
      (client.constructor as unknown as { service: Record<string, MethodDefinition<object, object>> }).service,
    );

  /** The status of an empty request. */
  function statusOf(
    { path, requestSerialize, responseDeserialize, requestStream }: MethodDefinition<object, object>,
    who: Metadata,
  ) {
    const client = service.clients.apiKeys;
    if (!requestStream) {
      const call = answer((done) =>
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, who, {}, done),
      );
      return call.then(() => status.OK).catch(({ code }: ServiceError) => code);
    }
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, who, {});
    stream.end();
    return new Promise((resolve) =>
      stream
        .on('error', () => undefined)
        .on('data', () => undefined)
        .on('status', ({ code }) => resolve(code)),
    );
  }

  test.each<[string, () => string]>([
    ['an API key', () => fullKey],
    ['a session', () => owner.person.cookie.split('=')[1]!],
    ['a password', () => PASSWORD],
    ['the name of a service', () => DEMO_SERVICE_TOKENS[0]!.name],
  ])('is UNAUTHENTICATED on every gRPC method: %s', async (_, token) => {
    const { apiKeys, accounts } = service.clients;
    const methods = [...definitionsOf(apiKeys), ...definitionsOf(accounts)];
    const codes = await Promise.all(methods.map((method) => statusOf(method, bearer(token()))));
    expect(codes).toEqual(methods.map(() => status.UNAUTHENTICATED));
    expect(methods.length).toBeGreaterThanOrEqual(7);
  });

  test('is not replaced by metadata that claims a role or an owner', async () => {
    const claims = bearer('dev-validator-token');
    for (const name of ['x-owner-id', 'x-role', 'role', 'x-forwarded-client-cert'])
      claims.set(name, `accounts;${owner.id}`);
    const [getAccount] = definitionsOf(service.clients.accounts).filter(({ path }) => path.endsWith('/GetAccount'));
    expect(await statusOf(getAccount!, claims)).toBe(status.PERMISSION_DENIED);
  });
});
