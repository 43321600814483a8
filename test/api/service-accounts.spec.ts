import { randomUUID } from 'node:crypto';
import { credentials, loadPackageDefinition, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ProtoGrpcType } from '#infrastructure/inbound/grpc/generated/account_service.js';
import type { Account__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/Account.js';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const SERVICE = 'ACCOUNT_KIND_SERVICE';

let service: Service;
let ada: Owner;
beforeAll(async () => {
  service = await sharedService();
  ada = await newOwner(service);
});
afterAll(() => service.stop());

const put = (request: PutAccountRequest) => service.clients.putAccount(request);
const bot = (part: PutAccountRequest = {}): PutAccountRequest => ({
  id: `bot-${randomUUID()}`,
  displayName: 'CI bot',
  permissions: ['systems:read'],
  kind: SERVICE,
  managers: { ids: [ada.id] },
  ...part,
});
const stored = (id: string) => sql(service.databaseUrl, 'SELECT * FROM accounts WHERE id = $1', [id]);

describe('PutAccount of a service account', () => {
  test('answers with its kind and its managers, and needs no email', async () => {
    const [one, two] = [bot(), bot()];
    const terms = { email: '', kind: SERVICE, managers: { ids: [ada.id] }, status: 'ACCOUNT_STATUS_ACTIVE' };
    expect(await put(one)).toMatchObject(terms);
    expect(await put(two)).toMatchObject(terms);
    expect(await service.clients.account('GetAccount', one.id!)).toMatchObject(terms);
  });

  test('keeps kind and managers when they are not sent', async () => {
    const one = bot();
    await put(one);
    const { kind: _kind, managers: _managers, ...rest } = one;
    expect(await put({ ...rest, displayName: 'New' })).toMatchObject({
      displayName: 'New',
      kind: SERVICE,
      managers: { ids: [ada.id] },
    });
  });

  test.each<[string, PutAccountRequest, string]>([
    [
      'an unknown manager',
      { managers: { ids: ['nobody'] } },
      'managers must be the ids of persons who have an account',
    ],
    ['no manager', { managers: null }, 'managers must be 1 to 20'],
    ['an empty list', { managers: { ids: [] } }, 'managers must be 1 to 20'],
    ['a password', { password: PASSWORD }, 'password must be left out: a service account has none'],
    ['managers on a person', { kind: 'ACCOUNT_KIND_PERSON', email: 'x@example.com' }, 'managers must be left out'],
    ['managers and no kind', { kind: 'ACCOUNT_KIND_UNSPECIFIED', email: 'x@example.com' }, 'managers must be left out'],
  ])('is INVALID_ARGUMENT with %s, and stores nothing', async (_what, part, details) => {
    const wrong = bot(part);
    await expect(put(wrong)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining(details),
    });
    expect(await stored(wrong.id!)).toEqual([]);
  });

  test('is FAILED_PRECONDITION with another kind', async () => {
    const one = bot();
    await put(one);
    const fixed = { code: status.FAILED_PRECONDITION, details: expect.stringContaining("kind can't change") };
    await expect(
      put({ ...one, kind: 'ACCOUNT_KIND_PERSON', managers: null, email: 'x@example.com' }),
    ).rejects.toMatchObject(fixed);
    const { id, email } = await newOwner(service);
    await expect(put({ ...bot(), id, email })).rejects.toMatchObject(fixed);
  });

  test('by a client with the contract of the last release keeps kind and managers', async () => {
    const options = { includeDirs: ['proto-baseline'], longs: String, enums: String, defaults: true, oneofs: true };
    const baseline = loadPackageDefinition(loadSync('latchkey/v1/account_service.proto', options));
    const { AccountService } = (baseline as unknown as ProtoGrpcType).latchkey.v1;
    const client = new AccountService(service.grpcTarget, credentials.createInsecure());
    const one = bot({ email: `${randomUUID()}@example.com` });
    await put(one);
    const { id, email, permissions } = one;
    const request = { id, email, permissions, displayName: 'Renamed' } as PutAccountRequest;
    await answer<Account__Output>((done) => client.putAccount(request, bearer('dev-accounts-token'), done));
    client.close();
    const kept = { displayName: 'Renamed', kind: SERVICE, managers: { ids: [ada.id] } };
    expect(await service.clients.account('GetAccount', id!)).toMatchObject(kept);
  });

  test('a purge deletes kind and managers, and the id may become a person', async () => {
    const one = bot();
    await put(one);
    await service.clients.purgeAccount(one.id!, 1);
    expect(await stored(one.id!)).toMatchObject([{ kind: 'person', managers: null, purged: true }]);
    const email = `${randomUUID()}@example.com`;
    expect(await put({ id: one.id!, email, version: 2 })).toMatchObject({
      kind: 'ACCOUNT_KIND_PERSON',
      managers: null,
    });
  });
});

describe('the keys of a service account', () => {
  test('are listed for its managers, who see it among their accounts', async () => {
    const one = bot({ id: `a-bot-${randomUUID()}` });
    const { id, person } = await newOwner(service);
    await put({ ...one, managers: { ids: [id] } });
    const accounts = await person.call('GET', '/v1/accounts');
    expect(accounts.body).toEqual({
      items: [
        { id, displayName: `The ${id}`, kind: 'person', status: 'active' },
        { id: one.id, displayName: 'CI bot', kind: 'service', status: 'active' },
      ],
    });
    expect((await person.call('GET', `/v1/api-keys?account=${one.id}`)).body).toMatchObject({
      items: [],
      activeKeys: 0,
    });
    expect((await person.call('GET', `/v1/permissions?account=${one.id}`)).body.items).toEqual(['systems:read']);
  });

  test('act as the service account, also while its managers are suspended', async () => {
    const one = bot();
    const { id, person } = await newOwner(service);
    await put({ ...one, managers: { ids: [id] } });
    const order = { name: 'CI', access: 'read-only', expiresInDays: 1, password: PASSWORD };
    const { body } = await person.call('POST', `/v1/api-keys?account=${one.id}`, order);
    expect(body.apiKey.createdBy).toEqual({ id, displayName: `The ${id}`, isFormerManager: false });
    await service.clients.account('SuspendAccount', id);
    const grant = await service.clients.validate(body.fullKey);
    expect(grant).toMatchObject({ outcome: 'grant', grant: { ownerId: one.id, permissions: ['systems:read'] } });
    await service.clients.account('SuspendAccount', one.id!);
    expect(await service.clients.validate(body.fullKey)).toMatchObject({
      denial: { reason: 'REASON_OWNER_SUSPENDED' },
    });
  });

  test('are answered for an account of somebody else as for one that does not exist', async () => {
    const one = bot();
    await put(one);
    const { person } = await newOwner(service);
    const answers = await Promise.all(
      [one.id!, ada.id, 'nobody', 'not an id', 'a\0', ''].map(async (id) => {
        const { status: code, body } = await person.call('GET', `/v1/api-keys?account=${encodeURIComponent(id)}`);
        return { code, ...body };
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ code: 'account_not_found', status: 404 });
  });

  test('say which key strings a former manager has seen, until the keys are rotated', async () => {
    const one = bot();
    const [leaving, staying] = [await newOwner(service), await newOwner(service)];
    await put({ ...one, managers: { ids: [leaving.id, staying.id] } });
    const order = { access: 'read-only', expiresInDays: 1, password: PASSWORD };
    const make = ({ person }: Owner, name: string) =>
      person.call('POST', `/v1/api-keys?account=${one.id}`, { ...order, name });
    const { body } = await make(leaving, 'made by who leaves');
    await make(staying, 'made by who stays');
    const seen = async () => {
      const { items } = (await staying.person.call('GET', `/v1/api-keys?account=${one.id}&status=active`)).body;
      return items
        .filter(({ createdBy }: { createdBy: { isFormerManager: boolean } }) => createdBy.isFormerManager)
        .map(({ name, createdBy }: { name: string; createdBy: { id: string } }) => [name, createdBy.id]);
    };
    expect(await seen()).toEqual([]);
    await put({ ...one, managers: { ids: [staying.id] } });
    expect(await seen()).toEqual([['made by who leaves', leaving.id]]);
    const proof = { password: PASSWORD, graceSeconds: 0 };
    const path = `/v1/api-keys/${body.apiKey.id}/rotate?account=${one.id}`;
    const rotated = await staying.person.call('POST', path, proof);
    expect(rotated.body.apiKey.createdBy).toMatchObject({ id: staying.id, isFormerManager: false });
    await service.clients.validate(rotated.body.fullKey);
    expect(await seen()).toEqual([]);
    await service.clients.purgeAccount(staying.id, 1);
    await put({ ...one, managers: { ids: [(await newOwner(service)).id, leaving.id] } });
    const { items } = (await leaving.person.call('GET', `/v1/api-keys?account=${one.id}&status=active`)).body;
    expect(items.map(({ createdBy }: { createdBy: object }) => createdBy)).toEqual(
      Array.from({ length: 2 }, () => ({ id: staying.id, displayName: '', isFormerManager: true })),
    );
  });

  test('have events that name the manager, and hide the address from the others', async () => {
    const one = bot();
    const [first, second] = [await newOwner(service), await newOwner(service)];
    await put({ ...one, managers: { ids: [first.id, second.id] } });
    const order = { name: 'CI', access: 'read-only', expiresInDays: 1, password: PASSWORD };
    await first.person.call('POST', `/v1/api-keys?account=${one.id}`, order);
    const seenBy = async ({ person }: Owner) =>
      (await person.call('GET', `/v1/audit-events?account=${one.id}`)).body.items[0];
    const actor = { id: first.id, displayName: `The ${first.id}` };
    expect(await seenBy(first)).toMatchObject({ type: 'api_key.created', actor, clientIp: '127.0.0.1' });
    expect(await seenBy(second)).toMatchObject({ type: 'api_key.created', actor, clientIp: null, userAgent: null });
  });
});
