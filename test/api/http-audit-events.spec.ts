import { status as grpc } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuditEventView } from '#infrastructure/inbound/http/management/views.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import type { Person } from '../support/callers/person.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const SOME_ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('GET /v1/audit-events', () => {
  let service: Service;
  let demo: Person;
  beforeAll(async () => {
    service = await sharedService();
    demo = await service.person().signIn();
  });
  afterAll(() => service.stop());

  const eventsOf = async (
    { person }: Owner,
    query = '',
  ): Promise<{ items: AuditEventView[]; nextCursor: string | null }> => {
    const { status, body } = await person.call('GET', `/v1/audit-events${query}`);
    expect(status).toBe(200);
    return body;
  };

  test('answers an empty page to an owner without events', async () => {
    const { person } = await newOwner(service);
    const { status, headers, body } = await person.call('GET', '/v1/audit-events');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ items: [], nextCursor: null, now: expect.any(String) });
  });

  test('lists creation, revocation, expiry and failure, newest first, with the client of each', async () => {
    const owner = await newOwner(service);
    const from = (requestId: string) => ({ 'user-agent': `Agent ${requestId}`, 'x-request-id': requestId });
    const one = await owner.person.create({}, from('create-1'));
    const two = await owner.person.create({}, from('create-2'));
    const [first, second] = [one.body.apiKey.id, two.body.apiKey.id];
    await owner.person.call('POST', `/v1/api-keys/${first}/revoke`, undefined, from('revoke-1'));
    await owner.person.create({ password: 'wrong' }, from('wrong-1'));
    await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [second]);
    await service.clients.validate(two.body.fullKey, {
      requestId: 'grpc-1',
      clientIp: '203.0.113.9',
      userAgent: 'App',
    });
    const bearer = { authorization: `Bearer ${one.body.fullKey}` };
    await service.person().call('GET', '/v1/api-keys', undefined, { ...from('bearer-1'), ...bearer });

    const { items, nextCursor } = await eventsOf(owner);
    expect(nextCursor).toBeNull();
    const by = (requestId: string) => ({ clientIp: '127.0.0.1', userAgent: `Agent ${requestId}`, requestId });
    const nobody = { clientIp: null, userAgent: null, requestId: null };
    const none = { keyId: null, reason: null, leak: null, previousName: null, actor: null };
    const actor = { id: owner.id, displayName: `The ${owner.id}` };
    const event = { id: expect.stringMatching(/^\d+$/), at: MOMENT, count: 1, ...none };
    const failed = { ...event, type: 'authentication.failed' };
    const viaGrpc = { clientIp: '203.0.113.9', userAgent: 'App', requestId: 'grpc-1' };
    expect(items).toEqual([
      { ...failed, keyId: first, reason: 'revoked', ...by('bearer-1') },
      { ...failed, keyId: second, reason: 'expired', ...viaGrpc },
      { ...event, type: 'api_key.expired', keyId: second, ...nobody },
      { ...failed, reason: 'incorrect-password', ...by('wrong-1') },
      { ...event, type: 'api_key.revoked', keyId: first, reason: 'owner', actor, ...by('revoke-1') },
      { ...event, type: 'api_key.created', keyId: second, actor, ...by('create-2') },
      { ...event, type: 'api_key.created', keyId: first, actor, ...by('create-1') },
    ]);
    const ids = items.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  test('lists renaming, rotation, pause and resumption without a filter', async () => {
    const owner = await newOwner(service);
    const { id } = (await owner.person.newKey()).apiKey;
    await owner.person.rename(id, { name: 'Renamed' });
    await owner.person.call('POST', `/v1/api-keys/${id}/pause`, { minutes: 5 });
    await owner.person.call('POST', `/v1/api-keys/${id}/resume`, { password: PASSWORD });
    const { body } = await owner.person.rotate(id, { password: PASSWORD });
    const { items } = await eventsOf(owner);
    const ofSuccessor = { type: 'api_key.created', keyId: body.apiKey.id };
    const ofKey = ['rotated', 'resumed', 'paused', 'renamed', 'created'].map((each) => `api_key.${each} ${id}`);
    const listed = items.map(({ type, keyId }) => `${type} ${keyId}`);
    expect(listed.filter((each) => each.endsWith(id))).toEqual(ofKey);
    expect(items).toContainEqual(expect.objectContaining(ofSuccessor));
  });

  test('reads events that are stored with owner, key, actor and client', async () => {
    const owner = await newOwner(service);
    const from = { 'user-agent': 'Agent', 'x-request-id': 'r' };
    const { body } = await owner.person.create({}, from);
    const two = await owner.person.create({}, from);
    await owner.person.call('POST', `/v1/api-keys/${body.apiKey.id}/revoke`, undefined, from);
    await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [two.body.apiKey.id]);
    const via = { requestId: 'g', clientIp: '203.0.113.9', userAgent: 'App' };
    await service.clients.validate(two.body.fullKey, via);
    const rows = await sql(
      service.databaseUrl,
      `SELECT type, key_id, actor_id, reason, public_part, client_ip, user_agent, request_id FROM audit_events
       WHERE owner_id = $1 ORDER BY id`,
      [owner.id],
    );
    const person = { actor_id: owner.id, client_ip: '127.0.0.1', user_agent: 'Agent', request_id: 'r' };
    const bare = { reason: null, public_part: null };
    const [one, other] = [{ key_id: body.apiKey.id }, { key_id: two.body.apiKey.id }];
    const itself = { actor_id: null, client_ip: null, user_agent: null, request_id: null };
    const requester = { actor_id: null, client_ip: '203.0.113.9', user_agent: 'App', request_id: 'g' };
    const platform = { ...itself, actor_id: 'service:dev-accounts' };
    expect(rows).toMatchObject([
      { type: 'account.created', key_id: null, ...bare, ...platform },
      { type: 'session.opened', key_id: null, ...bare, actor_id: owner.id, client_ip: '127.0.0.1' },
      { type: 'api_key.created', ...one, ...bare, ...person },
      { type: 'api_key.created', ...other, ...bare, ...person },
      { type: 'api_key.revoked', ...one, ...bare, reason: 'owner', ...person },
      { type: 'api_key.expired', ...other, ...bare, ...itself },
      {
        type: 'authentication.failed',
        ...other,
        reason: 'expired',
        public_part: two.body.fullKey.slice(3, 27),
        ...requester,
      },
    ]);
  });

  test('lists a failed sign-in for the owner whose email it named', async () => {
    const owner = await newOwner(service);
    const body = { email: owner.email.toUpperCase(), password: 'wrong' };
    await service.person().call('POST', '/v1/session', body, { 'x-request-id': 'guess' });
    expect((await eventsOf(owner)).items).toEqual([
      expect.objectContaining({ type: 'authentication.failed', reason: 'incorrect-password', requestId: 'guess' }),
    ]);
  });

  test('never lists anonymous events or those of other owners', async () => {
    const [owner, other] = [await newOwner(service), await newOwner(service)];
    await other.person.newKey();
    await service.person().call('POST', '/v1/session', { email: 'nobody@example.com', password: PASSWORD });
    await service.clients.validate('lk_nonsense');
    const { items } = await eventsOf(other);
    expect(items.map(({ type }) => type)).toEqual(['api_key.created']);
    expect((await eventsOf(owner)).items).toEqual([]);
    expect((await eventsOf(owner, `?ownerId=${other.id}`)).items).toEqual([]);
  });

  test.each([1, 7, 50])('pages through 120 events (limit %s) without loss or repetition', async (limit) => {
    const owner = await newOwner(service, { id: `reader-${limit}` });
    const inserted = await sql<{ id: string }>(
      service.databaseUrl,
      `INSERT INTO audit_events (type, owner_id, reason, count)
       SELECT 'authentication.failed', $1, 'revoked', n FROM generate_series(1, 120) AS n RETURNING id`,
      [owner.id],
    );
    const items: AuditEventView[] = [];
    let query = `?limit=${limit}`;
    for (;;) {
      const page = await eventsOf(owner, query);
      expect(page.items.length).toBe(Math.min(limit, 120 - items.length));
      items.push(...page.items);
      if (page.nextCursor === null) break;
      query = `?limit=${limit}&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    expect(items.map(({ id }) => id)).toEqual(inserted.map(({ id }) => id).reverse());
    expect(items.map(({ count }) => count)).toEqual(Array.from({ length: 120 }, (_, index) => 120 - index));
  });

  test('lists account changes and sign-ins on request, and stores the service that made the changes', async () => {
    const owner = await newOwner(service, { permissions: ['systems:read'] });
    const profile = { id: owner.id, email: owner.email, displayName: 'New', permissions: ['systems:write'] };
    await service.clients.putAccount(profile);
    await service.clients.putAccount(profile);
    for (const method of ['SuspendAccount', 'ReactivateAccount', 'DeleteAccount', 'ReactivateAccount'] as const) {
      await service.clients.account(method, owner.id);
    }
    await owner.person.signIn(owner.email, PASSWORD);
    expect((await eventsOf(owner)).items).toEqual([]);
    const names = ['created', 'changed', 'suspended', 'reactivated', 'deleted'].map((each) => `account.${each}`);
    const { items } = await eventsOf(owner, `?type=session.opened,${names.join(',')}`);
    const types = ['reactivated', 'deleted', 'reactivated', 'suspended', 'changed'].map((each) => `account.${each}`);
    expect(items.map(({ type }) => type)).toEqual(['session.opened', ...types, 'session.opened', 'account.created']);
    const rows = await sql(
      service.databaseUrl,
      `SELECT DISTINCT actor_id FROM audit_events WHERE owner_id = $1 AND type LIKE 'account.%'`,
      [owner.id],
    );
    expect(rows).toEqual([{ actor_id: 'service:dev-accounts' }]);
    const [changed] = await sql<{ details: string }>(
      service.databaseUrl,
      `SELECT details FROM audit_events WHERE owner_id = $1 AND type = 'account.changed'`,
      [owner.id],
    );
    expect(JSON.parse(changed!.details)).toEqual({
      changed: ['displayName', 'permissions'],
      permissions: { before: ['systems:read'], after: ['systems:write'] },
      actorKind: 'service',
    });
  });

  test("never shows a stored account as the author of the platform's changes, and opens none that could be", async () => {
    const owner = await newOwner(service);
    const account = { id: `a-${owner.id}`, email: `a-${owner.id}@example.org`, displayName: 'The platform' };
    const id = 'service:dev-accounts';
    await expect(service.clients.putAccount({ ...account, id })).rejects.toMatchObject({
      code: grpc.INVALID_ARGUMENT,
      details: 'id of a new account must not begin with service: or admin:',
    });
    await service.clients.putAccount(account);
    // As a release up to 0.2.0 may have stored it.
    await sql(service.databaseUrl, 'UPDATE accounts SET id = $1 WHERE id = $2', [id, account.id]);
    const { apiKey } = await owner.person.newKey();
    await service.clients.revokeKeys({ keyId: apiKey.id });
    const { items } = await eventsOf(owner, '?type=api_key.revoked,account.created');
    expect(items).toMatchObject([
      { type: 'api_key.revoked', reason: 'platform', actor: null },
      { type: 'account.created', actor: null },
    ]);
    await sql(service.databaseUrl, 'DELETE FROM accounts WHERE id = $1', [id]);
  });

  test('finds a creation among many failures by its type', async () => {
    const owner = await newOwner(service);
    const { apiKey } = await owner.person.newKey();
    await sql(
      service.databaseUrl,
      `INSERT INTO audit_events (type, owner_id, reason)
       SELECT 'authentication.failed', $1, 'invalid-key' FROM generate_series(1, 200)`,
      [owner.id],
    );
    const one = await eventsOf(owner, '?type=api_key.created');
    expect(one).toEqual({
      items: [expect.objectContaining({ keyId: apiKey.id })],
      nextCursor: null,
      now: expect.any(String),
    });
    await owner.person.revoke(apiKey.id);
    const types = 'type=api_key.created,api_key.revoked';
    const first = await eventsOf(owner, `?${types}&limit=1`);
    const second = await eventsOf(owner, `?${types}&limit=1&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ type }) => type)).toEqual(['api_key.revoked', 'api_key.created']);
    expect(second.nextCursor).toBeNull();
  });

  test("filters by the id of a key, and lists nothing for unknown keys or another owner's", async () => {
    const [owner, other] = [await newOwner(service), await newOwner(service)];
    const { apiKey, fullKey } = await owner.person.newKey();
    await owner.person.newKey();
    await owner.person.revoke(apiKey.id);
    await service.clients.validate(fullKey);
    const typesOf = async (person: Owner, query: string) =>
      (await eventsOf(person, `?keyId=${query}`)).items.map(({ type, keyId }) => `${type} ${keyId === apiKey.id}`);
    const changes = ['api_key.revoked true', 'api_key.created true'];
    expect(await typesOf(owner, apiKey.id.toUpperCase())).toEqual(['authentication.failed true', ...changes]);
    expect(await typesOf(owner, `${apiKey.id}&type=api_key.revoked,api_key.created`)).toEqual(changes);
    expect(await typesOf(other, apiKey.id)).toEqual([]);
    expect(await typesOf(owner, SOME_ID)).toEqual([]);
  });

  test("lists nothing for another owner's cursor", async () => {
    const [owner, other] = [await newOwner(service), await newOwner(service)];
    await owner.person.newKey();
    await owner.person.newKey();
    const { nextCursor } = await eventsOf(owner, '?limit=1');
    expect(nextCursor).not.toBeNull();
    expect(await eventsOf(other, `?cursor=${nextCursor}`)).toEqual({
      items: [],
      nextCursor: null,
      now: expect.any(String),
    });
  });

  const cursor = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');
  test.each([
    ['limit', '0'],
    ['limit', '51'],
    ['limit', 'x'],
    ['limit', '1&limit=2'],
    ['type', ''],
    ['type', 'api_key'],
    ['type', 'api_key.created,'],
    ['type', 'api_key.created,authentication.passed'],
    ['type', 'api_key.created&type=api_key.revoked'],
    ['keyId', ''],
    ['keyId', 'x'],
    ['keyId', `${SOME_ID}&keyId=${SOME_ID}`],
    ['cursor', ''],
    ['cursor', '1'],
    ['cursor', cursor([1])],
    ['cursor', cursor(['-1'])],
    ['cursor', cursor(['9'.repeat(19)])],
    ['cursor', cursor(['1', '2'])],
    ['cursor', `${cursor(['1'])}&cursor=${cursor(['1'])}`],
  ])('answers 400 and names the parameter for ?%s=%s', async (field, value) => {
    const { status, body } = await demo.call('GET', `/v1/audit-events?${field}=${value}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_fields', errors: [{ field }] });
  });
});
