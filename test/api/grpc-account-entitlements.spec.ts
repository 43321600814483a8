import { randomUUID } from 'node:crypto';
import { credentials, loadPackageDefinition, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ProtoGrpcType } from '#infrastructure/inbound/grpc/generated/account_service.js';
import type { Account__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/Account.js';
import type { Attribute } from '#infrastructure/inbound/grpc/generated/latchkey/v1/Attribute.js';
import type { Limits } from '#infrastructure/inbound/grpc/generated/latchkey/v1/Limits.js';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const LIMITS: Limits = {
  requestsPerSecond: 5,
  burst: 9,
  maxAccess: 'ACCESS_LEVEL_READ_ONLY',
  maxKeyDays: 365,
  maxActiveKeys: 100,
};
const ATTRIBUTES = {
  items: [
    { name: 'tenant', value: 'acme' },
    { name: 'city.name-1_a', value: 'Zürich "1"' },
  ],
};
const TERMS = { limits: LIMITS, attributes: ATTRIBUTES };
const NONE = { limits: null, attributes: null };

describe('limits and attributes of an account over gRPC', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  const stranger = () => {
    const id = randomUUID();
    return { id, email: `${id}@example.com` };
  };
  const put = (request: PutAccountRequest) => service.clients.putAccount(request);
  const get = (id: string) => service.clients.account('GetAccount', id);
  /** Everything that is stored of an account, and its events. */
  const stored = async (id: string) => [
    await sql(service.databaseUrl, 'SELECT * FROM accounts WHERE id = $1', [id]),
    await sql(service.databaseUrl, 'SELECT * FROM audit_events WHERE owner_id = $1 ORDER BY id', [id]),
  ];

  test('are shown as they were sent, to their last character and number', async () => {
    const someone = stranger();
    expect(await put({ ...someone, ...TERMS })).toMatchObject(TERMS);
    expect(await get(someone.id)).toMatchObject(TERMS);
    const highest = {
      ...LIMITS,
      requestsPerSecond: 1_000_000,
      burst: 1_000_000,
      maxAccess: 'ACCESS_LEVEL_READ_AND_WRITE',
    };
    const items = Array.from({ length: 16 }, (_, n) => ({ name: `n${n}${'x'.repeat(n === 0 ? 62 : 0)}`, value: '' }));
    items[0]!.value = 'ü'.repeat(255) + 'x';
    const most = { limits: highest as Limits, attributes: { items } };
    expect(await put({ ...someone, ...most })).toMatchObject(most);
    expect(await get(someone.id)).toMatchObject(most);
  });

  test('are kept when a PutAccount does not have them, and removed by an empty message', async () => {
    const someone = stranger();
    await put({ ...someone, ...TERMS });
    expect(await put({ ...someone, displayName: 'New' })).toMatchObject({ ...TERMS, displayName: 'New' });
    expect(await put({ ...someone, limits: {} })).toMatchObject({ limits: null, attributes: ATTRIBUTES });
    // 0 is the service's own value.
    expect(await put({ ...someone, limits: { requestsPerSecond: 5, burst: 0 } })).toMatchObject({
      limits: { requestsPerSecond: 5, burst: 0 },
    });
    expect(await put({ ...someone, limits: { burst: 3 }, attributes: { items: [] } })).toMatchObject({
      limits: {
        burst: 3,
        requestsPerSecond: 0,
        maxAccess: 'ACCESS_LEVEL_UNSPECIFIED',
        maxKeyDays: 0,
        maxActiveKeys: 0,
      },
      attributes: null,
    });
    expect(await put({ ...someone, limits: {} })).toMatchObject(NONE);
    expect(await get(someone.id)).toMatchObject(NONE);
  });

  test('are kept by a client with the contract of the last release, which can do all else', async () => {
    const options = { includeDirs: ['proto-baseline'], longs: String, enums: String, defaults: true, oneofs: true };
    const baseline = loadPackageDefinition(loadSync('latchkey/v1/account_service.proto', options));
    const { AccountService } = (baseline as unknown as ProtoGrpcType).latchkey.v1;
    const client = new AccountService(service.grpcTarget, credentials.createInsecure());
    const someone = stranger();
    await put({ ...someone, ...TERMS });
    const request = { ...someone, displayName: 'Renamed', permissions: ['systems:read'], ...NONE };
    const shown = await answer<Account__Output>((done) =>
      client.putAccount(request, bearer('dev-accounts-token'), done),
    );
    client.close();
    expect(shown).toEqual({
      ...someone,
      displayName: 'Renamed',
      permissions: ['systems:read'],
      status: 'ACCOUNT_STATUS_ACTIVE',
      version: '0',
    });
    expect(await get(someone.id)).toMatchObject({ ...TERMS, displayName: 'Renamed' });
  });

  test('are deleted by a purge, and the account that is opened again has none', async () => {
    const { id, email, person } = await newOwner(service, { ...TERMS, version: 1 });
    await person.newKey({ access: 'read-only' });
    await service.clients.purgeAccount(id, 2);
    const inRow = () => sql(service.databaseUrl, 'SELECT limits, attributes FROM accounts WHERE id = $1', [id]);
    expect(await inRow()).toEqual([{ limits: null, attributes: null }]);
    expect(await put({ id, email, version: 3 })).toMatchObject({ ...NONE, status: 'ACCOUNT_STATUS_ACTIVE' });
    expect(await inRow()).toEqual([{ limits: null, attributes: null }]);
    const [, events] = await stored(id);
    const purged = events!.find(({ type }) => type === 'account.purged');
    expect(JSON.parse(purged!['details'] as string)).toMatchObject({
      limits: { before: { burst: 9, maxAccess: 'read-only' }, after: {} },
      attributes: { before: ATTRIBUTES.items, after: [] },
    });
  });

  const attributes = (...items: [name: string, value: string][]) => ({
    attributes: { items: items.map(([name, value]): Attribute => ({ name, value })) },
  });
  const limits = (changed: object) => ({ limits: changed as Limits });
  const numbered = (count: number, value = 'x') =>
    Array.from({ length: count }, (_, n): [string, string] => [`n${n}`, value]);
  const CONTROL = /^attributes must have values without control characters, unlike "a"$/;
  const NAME = /^attributes must have names of 1 to 64 characters of \[a-z0-9_\.-\] that start with a letter, unlike "/;
  test.each<[string, PutAccountRequest, RegExp]>([
    ['a line break', attributes(['a', 'b\nc']), CONTROL],
    ['a NUL', attributes(['a', '\0']), CONTROL],
    ['a DEL', attributes(['a', '\x7f']), CONTROL],
    ['a control character beyond ASCII', attributes(['a', '\x85']), CONTROL],
    ['a name with a line break', attributes(['a\n', 'b']), NAME],
    ['a name in capitals', attributes(['Tenant', 'b']), NAME],
    ['a name that starts with a digit', attributes(['1a', 'b']), NAME],
    ['no name', attributes(['', 'b']), NAME],
    ['a name of 65 characters', attributes(['x'.repeat(65), 'b']), NAME],
    ['17 pairs', attributes(...numbered(17)), /^attributes must be at most 16$/],
    [
      'two of one name',
      attributes(['a', '1'], ['b', '2'], ['a', '3']),
      /^attributes must have each name once: "a" comes twice$/,
    ],
    [
      'a value of 257',
      attributes(['a', 'x'.repeat(257)]),
      /^attributes must have values of at most 256 characters, unlike "a"$/,
    ],
    [
      'values that are too long as a header',
      attributes(...numbered(8, 'x'.repeat(256))),
      /^attributes must take at most 2048 bytes as a header, and these take 21\d\d$/,
    ],
    [
      'values that are too long once encoded',
      attributes(...numbered(2, 'ü'.repeat(256))),
      /^attributes must take at most 2048 bytes as a header, and these take 30\d\d$/,
    ],
    [
      'a burst beyond a million',
      limits({ burst: 1_000_001 }),
      /^limits\.burst must be a whole number from 1 to 1000000$/,
    ],
    [
      'a rate of 2^32 - 1',
      limits({ requestsPerSecond: 4_294_967_295, burst: 1 }),
      /^limits\.requests_per_second must be a whole/,
    ],
    ['366 days', limits({ maxKeyDays: 366 }), /^limits\.max_key_days must be a whole number from 1 to 365$/],
    ['101 keys', limits({ maxActiveKeys: 101 }), /^limits\.max_active_keys must be a whole number from 1 to 100$/],
    ['an unknown access', limits({ maxAccess: 3 }), /^limits\.max_access must be an access level$/],
    [
      'several at once',
      { ...limits({ maxKeyDays: 366, maxActiveKeys: 101 }), ...attributes(['', '']) },
      /^limits\.max_key_days [^;]*; limits\.max_active_keys [^;]*; attributes [^;]*$/,
    ],
  ])('%s is refused with the field and its problem, and nothing is stored or recorded', async (_, wrong, message) => {
    const [someone, unknown] = [stranger(), stranger()];
    await put({ ...someone, ...TERMS });
    const [shown, before] = [await get(someone.id), await stored(someone.id)];
    for (const each of [someone, unknown]) {
      const refused = put({ ...each, displayName: 'New', ...wrong });
      const details = expect.stringMatching(message);
      await expect(refused).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details });
    }
    expect([await get(someone.id), await stored(someone.id)]).toEqual([shown, before]);
    expect(await stored(unknown.id)).toEqual([[], []]);
  });
});
