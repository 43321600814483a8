import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DAY_MS } from '#domain/time.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { ADMIN, ADMIN_PERMISSION, ADMIN_PROFILE, ADMIN_ROUTES } from '../support/callers/management-routes.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import type { Answer } from '../support/callers/person.js';
import { eventually } from '../support/eventually.js';
import { startPlatformLogin, type PlatformLogin } from '../support/platform/platform-login.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

/** Not even an administrator sees these. */
const SECRETS = /digest|secret|passwordHash|"fullKey"/i;

describe('administrators', () => {
  let login: PlatformLogin;
  let service: Service;
  let closed: Service;
  let administrator: Owner;
  beforeAll(async () => {
    login = await startPlatformLogin();
    service = await startService({ ...ADMIN, ...login.env, PASSWORD_SIGN_IN: 'on' });
    closed = await startService();
    administrator = await newOwner(service, ADMIN_PROFILE);
  });
  afterAll(async () => {
    await service?.stop();
    await closed?.stop();
    await login?.stop();
  });

  /** An administrator's answers about keys; the path below /v1/admin. */
  const get = async (path: string): Promise<Answer['body']> => {
    const { status, body } = await administrator.person.call('GET', `/v1/admin${path}`);
    expect([status, SECRETS.test(JSON.stringify(body))]).toEqual([200, false]);
    return body;
  };
  const idsOf = async (query: string) => (await get(`/api-keys${query}`)).items.map(({ id }: { id: string }) => id);
  const revoke = (id: string, body: object = { password: PASSWORD }, by = administrator) =>
    by.person.call('POST', `/v1/admin/api-keys/${id}/revoke`, body);
  const ownerView = ({ id, email }: Owner) => ({
    id,
    email,
    displayName: `The ${id}`,
    kind: 'person',
    status: 'active',
  });
  const viewsOf = (actor: Owner) =>
    sql<{ owner_id: string | null; key_id: string | null; details: string | null }>(
      service.databaseUrl,
      `SELECT owner_id, key_id, details FROM audit_events WHERE type = 'admin.viewed' AND actor_id = $1 ORDER BY id`,
      [actor.id],
    );

  describe('who they are', () => {
    const NOBODY = 'nobody';
    type Call = (route: (typeof ADMIN_ROUTES)[number], headers?: Record<string, string>) => Promise<Answer>;
    interface Case {
      readonly who: string;
      /** Of their account; undefined for those without one. */
      readonly permissions?: string[];
      readonly by: 'session' | 'token' | 'key' | 'unknown key' | 'nothing';
      readonly becomes?: 'SuspendAccount' | 'DeleteAccount';
      readonly setting?: 'off';
    }
    const CASES: Case[] = [
      { who: 'an administrator', permissions: [ADMIN_PERMISSION], by: 'session' },
      { who: 'a person without the permission', permissions: ['systems:write'], by: 'session' },
      { who: 'a person with a permission above it', permissions: ['api:administer', 'api-keys:read'], by: 'session' },
      { who: 'a person with one below it', permissions: ['api-keys/all:administer'], by: 'session' },
      { who: 'a person with another spelling', permissions: ['API-keys:administer'], by: 'session' },
      { who: 'a suspended administrator', permissions: [ADMIN_PERMISSION], by: 'session', becomes: 'SuspendAccount' },
      { who: 'a deleted administrator', permissions: [ADMIN_PERMISSION], by: 'session', becomes: 'DeleteAccount' },
      { who: 'an administrator with a token of the platform', permissions: [ADMIN_PERMISSION], by: 'token' },
      { who: 'an administrator’s API key', permissions: ['systems:read', ADMIN_PERMISSION], by: 'key' },
      { who: 'an unknown API key', by: 'unknown key' },
      { who: 'a person who is not signed in', by: 'nothing' },
      {
        who: 'an administrator while ADMIN_PERMISSION is off',
        permissions: [ADMIN_PERMISSION],
        by: 'session',
        setting: 'off',
      },
      { who: 'an API key while ADMIN_PERMISSION is off', permissions: ['systems:read'], by: 'key', setting: 'off' },
    ];

    /** From the words of the contract, without looking at the code. */
    function expected({ permissions = [], by, becomes, setting }: Case): number {
      if (setting === 'off') return 404;
      if (by === 'key') return 403;
      if (by === 'unknown key') return 401;
      return by === 'session' && permissions.includes(ADMIN_PERMISSION) && !becomes ? 200 : 404;
    }

    async function callerOf({ permissions, by, becomes, setting }: Case): Promise<{ owner: Owner; call: Call }> {
      const at = setting === 'off' ? closed : service;
      const owner = await newOwner(at, { permissions: permissions ?? [] });
      const { fullKey } = await owner.person.newKey({ access: 'read-only' });
      if (becomes) await at.clients.account(becomes, owner.id);
      const headers: Record<Case['by'], Record<string, string>> = {
        session: { cookie: owner.person.cookie },
        token: { authorization: `Bearer ${await login.token({ sub: owner.id })}` },
        key: { authorization: `Bearer ${fullKey}` },
        'unknown key': { authorization: `Bearer ${unknownKey()}` },
        nothing: {},
      };
      const target = await newOwner(at);
      const { apiKey } = await target.person.newKey();
      const call: Call = ({ method, order }) => {
        const { path, body } = order(target, apiKey.id);
        return at.person().call(method, path, body, headers[by]);
      };
      return { owner, call };
    }

    test.each(CASES.map((each) => ({ ...each, status: expected(each) })))(
      'answers $status to $who on every route',
      async ({ status, ...each }) => {
        const { owner, call } = await callerOf(each);
        const unknown = { ...ADMIN_ROUTES[0]!, order: () => ({ path: `/v1/${NOBODY}` }) };
        const nothing = await call(unknown);
        expect(nothing).toMatchObject({ status: 404, body: { code: 'not_found' } });
        for (const route of ADMIN_ROUTES) {
          const answer = await call(route);
          expect([route.name, answer.status]).toEqual([route.name, status]);
          if (status === 404) expect(answer.body).toEqual(nothing.body);
        }
        expect((await viewsOf(owner)).length).toBe(status === 200 ? 4 : 0);
      },
    );

    test('is what GET /v1/session says of a person at the screen', async () => {
      const other = await newOwner(service);
      const isAdministrator = async (by: Owner, headers = {}) =>
        (await by.person.call('GET', '/v1/session', undefined, headers)).body.isAdministrator;
      expect([await isAdministrator(administrator), await isAdministrator(other)]).toEqual([true, false]);
      const authorization = `Bearer ${await login.token({ sub: administrator.id })}`;
      expect(await isAdministrator(administrator, { authorization })).toBe(false);
    });

    test('counts at that moment: a permission that is removed ends it with the next call', async () => {
      const former = await newOwner(service, ADMIN_PROFILE);
      const list = async () => (await former.person.call('GET', '/v1/admin/api-keys')).status;
      expect(await list()).toBe(200);
      await service.clients.putAccount({ id: former.id, email: former.email, permissions: ['systems:read'] });
      expect(await list()).toBe(404);
    });
  });

  describe('the list', () => {
    test('has each key as its owner sees it, with its owner, newest first, 50 in a page', async () => {
      const owners = await Promise.all(Array.from({ length: 11 }, () => newOwner(service)));
      // One owner after the other, because the service refuses too many passwords at once.
      for (const { person } of owners) await Promise.all([1, 2, 3, 4, 5].map(() => person.newKey()));
      const first = await get('/api-keys');
      const second = await get(`/api-keys?cursor=${first.nextCursor}`);
      expect([first.items.length, second.items.length >= 5]).toEqual([50, true]);
      const all: { id: string; createdAt: string; owner: { id: string } }[] = [...first.items, ...second.items];
      const sorted = [...all].sort((a, b) =>
        a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? 1 : -1,
      );
      expect(all).toEqual(sorted);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      const [one] = owners;
      const own = (await one!.person.list()).items;
      expect(all.filter(({ owner }) => owner.id === one!.id)).toEqual(
        own.map((key) => ({ ...key, owner: ownerView(one!) })),
      );
    });

    test('is filtered by owner, maker, status, prefix, last use and expiry', async () => {
      const owner = await newOwner(service);
      const [active, revoked] = [
        await owner.person.newKey({ expiresInDays: 5 }),
        await owner.person.newKey({ expiresInDays: 60 }),
      ];
      await owner.person.revoke(revoked!.apiKey.id);
      const of = (query: string) => idsOf(`?owner=${owner.id}${query}`);
      const ids = { active: active!.apiKey.id, revoked: revoked!.apiKey.id };
      const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
      expect(await of('')).toEqual([ids.revoked, ids.active]);
      expect(await of('&status=active')).toEqual([ids.active]);
      expect(await of('&status=revoked')).toEqual([ids.revoked]);
      expect(await of('&status=expired')).toEqual([]);
      expect(await of(`&expiresBefore=${inDays(30)}`)).toEqual([ids.active]);
      expect(await of(`&expiresFrom=${inDays(30)}`)).toEqual([ids.revoked]);
      expect(await of(`&expiresFrom=${inDays(4)}&expiresBefore=${inDays(6)}`)).toEqual([ids.active]);
      expect(await of(`&lastUsedBefore=${inDays(-90)}`)).toEqual([]);
      expect(await of(`&lastUsedBefore=${inDays(1)}&status=active`)).toEqual([ids.active]);
      expect(await idsOf(`?prefix=${encodeURIComponent(active!.apiKey.prefix)}`)).toEqual([ids.active]);
      expect(await idsOf(`?prefix=${active!.apiKey.prefix.slice(3, 12)}`)).toEqual([ids.active]);
      expect(await idsOf('?prefix=nonsense')).toEqual([]);
      expect(await idsOf('?owner=nobody')).toEqual([]);
      expect(await idsOf(`?createdBy=${owner.id}`)).toEqual([ids.revoked, ids.active]);
      expect(await of('&createdBy=nobody')).toEqual([]);
      expect(await of('&sort=expires')).toEqual([ids.active, ids.revoked]);
      expect(await of('&sort=requests')).toHaveLength(2);
      const ofAll = await administrator.person.call('GET', '/v1/admin/api-keys?sort=requests');
      expect([ofAll.status, ofAll.body.errors]).toEqual([
        400,
        [{ field: 'sort', message: 'can be requests only with owner' }],
      ]);
    });

    test.each([
      ['prefix', 'lk_4f9a01c2d3e4ab', 'must be at most 16 characters'],
      ['owner', 'a b', 'must be 1 to 128 characters of [A-Za-z0-9._:@|-]'],
      ['createdBy', 'a b', 'must be 1 to 128 characters of [A-Za-z0-9._:@|-]'],
      ['status', 'unused', 'must be one of active, expired, revoked'],
      ['lastUsedBefore', 'yesterday', 'must be a time such as 2026-03-29T00:30:00Z'],
      ['expiresFrom', 'this month', 'must be a time such as 2026-03-29T00:30:00Z'],
      ['expiresBefore', '2026-13-29T00:30:00Z', 'must be a time such as 2026-03-29T00:30:00Z'],
      ['sort', 'oldest', 'must be one of created, name, lastUsed, expires, requests'],
      ['cursor', 'nonsense', 'must be a nextCursor of this list'],
    ])('answers 400 to a wrong %s without repeating it', async (field, value, message) => {
      const call = (query: string) => administrator.person.call('GET', `/v1/admin/api-keys?${query}`);
      const { status, body } = await call(`${field}=${encodeURIComponent(value)}`);
      expect([status, body.errors]).toEqual([400, [{ field, message }]]);
      expect(JSON.stringify(body)).not.toContain(value);
      expect((await call(`${field}=a&${field}=b`)).status).toBe(400);
    });
  });

  test('see a key with its owner, its uses and its newest events', async () => {
    const owner = await newOwner(service);
    const { apiKey, fullKey } = await owner.person.newKey();
    await service.clients.validate(fullKey);
    await eventually(async () => (await owner.person.list()).items[0]?.recent.granted.at(-1) === 1);
    const seen = await get(`/api-keys/${apiKey.id.toUpperCase()}`);
    const own = (await owner.person.call('GET', `/v1/api-keys/${apiKey.id}`)).body;
    expect(seen).toEqual({ ...own, owner: ownerView(owner), events: seen.events });
    const created = { type: 'api_key.created', keyId: apiKey.id, clientIp: null, userAgent: null };
    expect(seen.events).toMatchObject([{ ...created, actor: { id: owner.id } }]);
    for (const id of ['x', '00000000-0000-4000-8000-000000000000']) {
      const { status, body } = await administrator.person.call('GET', `/v1/admin/api-keys/${id}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });

  test('find accounts by id or email', async () => {
    const owner = await newOwner(service);
    expect(await get(`/accounts?query=${owner.id}`)).toEqual({ items: [ownerView(owner)] });
    expect(await get(`/accounts?query=${owner.email.toUpperCase()}`)).toEqual({ items: [ownerView(owner)] });
    expect(await get('/accounts?query=nobody')).toEqual({ items: [] });
    for (const query of ['', '?query=', `?query=${'x'.repeat(255)}`, '?query=a&query=b']) {
      expect((await administrator.person.call('GET', `/v1/admin/accounts${query}`)).status).toBe(400);
    }
  });

  describe('the audit view', () => {
    const eventsOf = async (query: string) => (await get(`/audit-events${query}`)).items;

    test('says who did and viewed what, by actor, account, key, type and time, and is recorded itself', async () => {
      const [viewer, owner] = [await newOwner(service, ADMIN_PROFILE), await newOwner(service)];
      const { apiKey } = await owner.person.newKey({ name: 'CI deploy' });
      await viewer.person.call('GET', `/v1/admin/api-keys/${apiKey.id}`);
      await viewer.person.call('GET', `/v1/admin/accounts?query=${owner.email}`);
      await revoke(apiKey.id, { password: PASSWORD, note: 'Left the company' }, viewer);
      const person = (of: Owner) => ({ id: of.id, displayName: `The ${of.id}` });
      const none = { note: null, viewed: null };
      const by = (of: Owner) => ({ actorId: of.id, actor: person(of) });
      const ofKey = { keyId: apiKey.id, keyName: 'CI deploy', account: person(owner) };
      const revoked = { type: 'api_key.revoked', ...ofKey, ...by(viewer), ...none, note: 'Left the company' };
      const viewed = { type: 'admin.viewed', ...ofKey, ...by(viewer), ...none, clientIp: null };
      const created = { type: 'api_key.created', ...ofKey, ...by(owner), ...none, clientIp: null };
      expect(await eventsOf(`?key=${apiKey.id.toUpperCase()}`)).toMatchObject([revoked, viewed, created]);
      const search = {
        type: 'admin.viewed',
        keyId: null,
        keyName: null,
        account: null,
        viewed: { accounts: owner.id },
      };
      expect(await eventsOf(`?actor=${viewer.id}&type=admin.viewed,api_key.revoked`)).toMatchObject([
        revoked,
        search,
        viewed,
      ]);
      expect(await eventsOf(`?account=${owner.id}&type=api_key.created`)).toMatchObject([created]);
      expect(await eventsOf(`?account=${owner.id}&type=account.created`)).toMatchObject([
        { actorId: 'service:dev-accounts', actor: null, account: person(owner) },
      ]);
      const { at } = (await eventsOf(`?key=${apiKey.id}&type=api_key.revoked`))[0];
      expect(await eventsOf(`?key=${apiKey.id}&actor=${viewer.id}&until=${at}`)).toMatchObject([viewed]);
      expect(await eventsOf(`?key=${apiKey.id}&actor=${viewer.id}&from=${at}`)).toMatchObject([revoked]);
      const looks = await eventsOf(`?actor=${administrator.id}&account=${owner.id}`);
      expect(looks.map((event: { viewed: object }) => event.viewed)).toEqual([
        { key: apiKey.id, actor: viewer.id, from: at },
        { key: apiKey.id, actor: viewer.id, until: at },
        { key: apiKey.id, type: 'api_key.revoked' },
        { account: owner.id, type: 'account.created' },
        { account: owner.id, type: 'api_key.created' },
        { key: apiKey.id },
      ]);
      const { items } = await owner.person.events('?type=admin.viewed');
      expect(items.slice(0, 2)).toMatchObject([
        { keyId: null, actor: { id: administrator.id }, clientIp: null },
        { keyId: apiKey.id, actor: { id: administrator.id }, clientIp: null },
      ]);
    });

    test('comes in pages of 50, each event once', async () => {
      const owner = await newOwner(service);
      await sql(
        service.databaseUrl,
        `INSERT INTO audit_events (type, owner_id, reason)
         SELECT 'authentication.failed', $1, 'invalid-key' FROM generate_series(1, 60)`,
        [owner.id],
      );
      const query = `?account=${owner.id}&type=authentication.failed`;
      const first = await get(`/audit-events${query}`);
      const second = await get(`/audit-events${query}&cursor=${first.nextCursor}`);
      expect([first.items.length, second.items.length, second.nextCursor]).toEqual([50, 10, null]);
      expect(new Set([...first.items, ...second.items].map(({ id }: { id: string }) => id)).size).toBe(60);
    });

    test.each([
      ['actor', 'a b', 'must be 1 to 128 characters of [A-Za-z0-9._:@|-]'],
      ['account', 'a b', 'must be 1 to 128 characters of [A-Za-z0-9._:@|-]'],
      ['key', 'nonsense', 'must be the id of a key'],
      ['type', 'api_key.lost', expect.stringContaining('must be one or more of')],
      ['from', 'yesterday', 'must be a time such as 2026-03-29T00:30:00Z'],
      ['until', '2026-13-29T00:30:00Z', 'must be a time such as 2026-03-29T00:30:00Z'],
      ['cursor', 'nonsense', 'must be a nextCursor of this list'],
    ])('answers 400 to a wrong %s without repeating it, and records nothing', async (field, value, message) => {
      const viewer = await newOwner(service, ADMIN_PROFILE);
      const call = (query: string) => viewer.person.call('GET', `/v1/admin/audit-events?${query}`);
      const { status, body } = await call(`${field}=${encodeURIComponent(value)}`);
      expect([status, body.errors]).toEqual([400, [{ field, message }]]);
      expect(JSON.stringify(body)).not.toContain(value);
      expect((await call(`${field}=a&${field}=b`)).status).toBe(400);
      expect(await viewsOf(viewer)).toEqual([]);
    });
  });

  test('leave pages and drawers on the audit trail, which owners see without the address', async () => {
    const [viewer, owner] = [await newOwner(service, ADMIN_PROFILE), await newOwner(service)];
    const { apiKey } = await owner.person.newKey();
    const paths = [
      '/api-keys?status=active',
      `/api-keys?owner=${owner.id}&prefix=lk_4f9a`,
      `/api-keys/${apiKey.id}`,
      `/accounts?query=${owner.email}`,
    ];
    for (const path of paths) expect((await viewer.person.call('GET', `/v1/admin${path}`)).status).toBe(200);
    const views = await viewsOf(viewer);
    expect(views.map(({ details, ...view }) => ({ ...view, details: details && JSON.parse(details) }))).toEqual([
      { owner_id: null, key_id: null, details: { query: { status: 'active' } } },
      { owner_id: owner.id, key_id: null, details: { query: { owner: owner.id, prefix: 'lk_4f9a' } } },
      { owner_id: owner.id, key_id: apiKey.id, details: null },
      { owner_id: null, key_id: null, details: { accounts: [owner.id] } },
    ]);
    expect(JSON.stringify(views)).not.toContain(owner.email);
    const { items } = await owner.person.events('?type=admin.viewed');
    const seen = { type: 'admin.viewed', clientIp: null, userAgent: null, actor: { id: viewer.id } };
    expect(items).toMatchObject([
      { ...seen, keyId: apiKey.id },
      { ...seen, keyId: null },
    ]);
    expect((await viewer.person.events('?type=admin.viewed')).items).toEqual([]);
  });

  describe('the revocation', () => {
    test('ends a key of another owner at once, with the reason and a note on the audit trail', async () => {
      const owner = await newOwner(service);
      const { apiKey, fullKey } = await owner.person.newKey();
      const { status, body } = await revoke(apiKey.id, { password: PASSWORD, note: 'Left the company' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: apiKey.id,
        status: 'revoked',
        revokedReason: 'administrator',
        owner: ownerView(owner),
        events: [
          { type: 'api_key.revoked', note: 'Left the company' },
          { type: 'api_key.created', note: null },
        ],
      });
      expect((await service.clients.validate(fullKey)).denial?.reason).toBe('REASON_REVOKED');
      const { items } = await owner.person.events('?type=api_key.revoked');
      const actor = { id: administrator.id, displayName: `The ${administrator.id}` };
      expect(items).toMatchObject([{ reason: 'administrator', actor, clientIp: null }]);
      expect(items[0]).not.toHaveProperty('note');
      const [event] = await sql<{ details: string }>(
        service.databaseUrl,
        `SELECT details FROM audit_events WHERE key_id = $1 AND type = 'api_key.revoked'`,
        [apiKey.id],
      );
      expect(JSON.parse(event!.details)).toEqual({ note: 'Left the company' });
      const again = await revoke(apiKey.id);
      expect([again.status, again.body.apiKeyStatus]).toEqual([409, 'revoked']);
    });

    test('works for another administrator’s key, and for keys of a suspended owner', async () => {
      const [other, suspended] = [await newOwner(service, ADMIN_PROFILE), await newOwner(service)];
      const keys = [await other.person.newKey(), await suspended.person.newKey()];
      await service.clients.account('SuspendAccount', suspended.id);
      for (const { apiKey } of keys) expect((await revoke(apiKey.id)).status).toBe(200);
    });

    test('is confirmed with the administrator’s own password', async () => {
      const { apiKey } = await (await newOwner(service)).person.newKey();
      expect(await revoke(apiKey.id, {})).toMatchObject({ status: 400, body: { errors: [{ field: 'password' }] } });
      expect(await revoke(apiKey.id, { password: 'wrong' })).toMatchObject({
        status: 403,
        body: { code: 'incorrect_password' },
      });
      expect(await idsOf(`?status=active&prefix=${apiKey.prefix.slice(0, 15)}`)).toEqual([apiKey.id]);
    });

    describe('of several keys', () => {
      const revokeAll = (ids: unknown, body: object = { password: PASSWORD }, by = administrator) =>
        by.person.call('POST', '/v1/admin/api-keys/revoke', { ids, ...body });

      test('is confirmed once, recorded for each key, and tells which could not be revoked and why', async () => {
        const [one, other] = [await newOwner(service), await newOwner(service)];
        const keys = [await one.person.newKey(), await one.person.newKey(), await other.person.newKey()];
        const ids = keys.map(({ apiKey }) => apiKey.id);
        await one.person.revoke(ids[1]!);
        const unknown = randomUUID();
        const order = [ids[0]!.toUpperCase(), ids[1], unknown, ids[2], ids[2]];
        const { status, body } = await revokeAll(order, { password: PASSWORD, note: 'Left the company' });
        expect(status).toBe(200);
        expect(body).toEqual({
          revoked: [ids[0], ids[2]],
          failed: [
            { id: ids[1], code: 'api_key_not_active' },
            { id: unknown, code: 'not_found' },
          ],
        });
        for (const { fullKey } of keys)
          expect((await service.clients.validate(fullKey)).denial?.reason).toBe('REASON_REVOKED');
        const events = await sql<{ key_id: string; details: string }>(
          service.databaseUrl,
          `SELECT key_id, details FROM audit_events
          WHERE key_id = ANY($1) AND type = 'api_key.revoked' AND reason = 'administrator' ORDER BY id`,
          [ids],
        );
        expect(events.map(({ key_id, details }) => [key_id, JSON.parse(details)])).toEqual([
          [ids[0], { note: 'Left the company' }],
          [ids[2], { note: 'Left the company' }],
        ]);
      });

      test.each([
        ['without a password', {}, 400, 'invalid_fields'],
        ['with a wrong one', { password: 'wrong' }, 403, 'incorrect_password'],
      ])('ends nothing %s', async (_, body, status, code) => {
        const { apiKey } = await (await newOwner(service)).person.newKey();
        expect(await revokeAll([apiKey.id], body)).toMatchObject({ status, body: { code } });
        expect(await idsOf(`?status=active&prefix=${apiKey.prefix.slice(0, 15)}`)).toEqual([apiKey.id]);
      });

      test('is there for administrators alone', async () => {
        const owner = await newOwner(service);
        const { apiKey } = await owner.person.newKey();
        expect((await revokeAll([apiKey.id], { password: PASSWORD }, owner)).status).toBe(404);
      });

      test.each([
        ['no list', undefined, 'is missing'],
        ['a text', 'x', 'must be a list of ids of keys'],
        ['what is no id', ['x'], 'must be a list of ids of keys'],
        ['an empty list', [], 'must have 1 to 100 ids'],
        ['101 ids', Array.from({ length: 101 }, () => randomUUID()), 'must have 1 to 100 ids'],
      ])('refuses %s', async (_, ids, message) => {
        const { status, body } = await revokeAll(ids);
        expect([status, body.errors]).toEqual([400, [{ field: 'ids', message }]]);
      });
    });

    test.each([
      ['longer than 200 characters', () => 'x'.repeat(201)],
      ['with a key string', () => `is ${unknownKey()}`],
      ['with a line break', () => 'a\nb'],
      ['that is no text', () => 1],
    ])('refuses a note %s', async (_, note) => {
      const { apiKey } = await (await newOwner(service)).person.newKey();
      const { status, body } = await revoke(apiKey.id, { password: PASSWORD, note: note() });
      expect([status, body.errors?.[0]?.field]).toEqual([400, 'note']);
    });
  });
});
