import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ListKeysRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ListKeysRequest.js';
import type { ListKeysResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ListKeysResponse.js';
import { DAY_MS } from '#domain/time.js';
import type { RevokeKeysRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RevokeKeysRequest.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { type Service, sharedService, startService } from '../support/processes/service.js';

describe('ListKeys', () => {
  interface Made {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly createdAt: string;
    readonly expiresAt: string;
  }

  let service: Service;
  let ada: Owner;
  let grace: Owner;
  /** Oldest first. The second one is revoked. */
  const made: Made[] = [];
  beforeAll(async () => {
    service = await startService();
    [ada, grace] = [await newOwner(service), await newOwner(service)];
    const terms = { access: 'read-only', permissions: ['systems:read'], allowedNetworks: ['192.0.2.0/24'] };
    made.push((await ada.person.newKey({ name: 'First', expiresInDays: 5, ...terms })).apiKey);
    made.push((await ada.person.newKey({ name: 'Second', expiresInDays: 60, access: 'read-and-write' })).apiKey);
    made.push((await grace.person.newKey({ name: 'Third', expiresInDays: 60 })).apiKey);
    await ada.person.revoke(made[1]!.id);
  });
  afterAll(() => service.stop());

  const list = (request: ListKeysRequest) =>
    answer<ListKeysResponse__Output>((done) =>
      service.clients.accounts.listKeys(request, bearer('dev-accounts-token'), done),
    );
  const named = async (request: ListKeysRequest) => (await list(request)).keys.map(({ name }) => name);
  const time = (at: Date) => ({ seconds: Math.floor(at.getTime() / 1000), nanos: 0 });
  const wireTime = (at: string) => ({
    seconds: String(Math.floor(Date.parse(at) / 1000)),
    nanos: (Date.parse(at) % 1000) * 1_000_000,
  });
  const inDays = (days: number) => time(new Date(Date.now() + days * DAY_MS));

  test('answers the keys of all owners, newest first, page by page', async () => {
    expect(await named({})).toEqual(['Third', 'Second', 'First']);
    const first = await list({ pageSize: 2 });
    expect(first.keys.map(({ name }) => name)).toEqual(['Third', 'Second']);
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([second.keys.map(({ name }) => name), second.nextPageToken]).toEqual([['First'], '']);
  });

  test('answers what owners see of a key, with its owner and who made it, and never a secret', async () => {
    const { keys } = await list({ ownerId: ada.id });
    const [second, first] = keys;
    expect(first).toEqual({
      id: made[0]!.id,
      ownerId: ada.id,
      name: 'First',
      access: 'ACCESS_LEVEL_READ_ONLY',
      prefix: made[0]!.prefix,
      status: 'KEY_STATUS_ACTIVE',
      createdAt: wireTime(made[0]!.createdAt),
      lastUsedAt: null,
      expiresAt: wireTime(made[0]!.expiresAt),
      revokedAt: null,
      endsAt: null,
      pausedUntil: null,
      permissions: ['systems:read'],
      allowedNetworks: ['192.0.2.0/24'],
      imported: false,
      createdBy: ada.id,
    });
    expect(second).toMatchObject({
      access: 'ACCESS_LEVEL_READ_AND_WRITE',
      status: 'KEY_STATUS_REVOKED',
      revokedAt: { seconds: expect.any(String) },
      permissions: [],
      allowedNetworks: [],
    });
  });

  test('filters by everything that a request can name', async () => {
    expect(await named({ ownerId: grace.id })).toEqual(['Third']);
    expect(await named({ status: 'KEY_STATUS_ACTIVE' })).toEqual(['Third', 'First']);
    expect(await named({ status: 'KEY_STATUS_REVOKED' })).toEqual(['Second']);
    expect(await named({ status: 'KEY_STATUS_EXPIRED' })).toEqual([]);
    expect(await named({ expiresBefore: inDays(30) })).toEqual(['First']);
    expect(await named({ lastUsedBefore: inDays(-1) })).toEqual([]);
    expect(await named({ lastUsedBefore: inDays(1), ownerId: grace.id })).toEqual(['Third']);
    expect(await named({ prefix: made[1]!.prefix })).toEqual(['Second']);
    expect(await named({ prefix: 'nonsense' })).toEqual([]);
    expect(await named({ createdBy: ada.id })).toEqual(['Second', 'First']);
    expect(await named({ createdBy: ada.id, status: 'KEY_STATUS_ACTIVE' })).toEqual(['First']);
  });

  test.each<[string, ListKeysRequest]>([
    ['page_size must be at most 1000', { pageSize: 1001 }],
    ['page_token must be the next_page_token of an earlier page', { pageToken: 'nonsense!' }],
    ['status must be a status of a key', { status: 9 as never }],
    ['owner_id must be 1 to 128 characters of [A-Za-z0-9._:@|-]', { ownerId: 'a b' }],
    ['created_by must be 1 to 128 characters of [A-Za-z0-9._:@|-]', { createdBy: 'a b' }],
    ['expires_before must be a time from the year 1 to 9999', { expiresBefore: { seconds: 1e15 } }],
    ['last_used_before must be a time from the year 1 to 9999', { lastUsedBefore: { seconds: -1e15 } }],
  ])('refuses a wrong field: %s', async (details, request) => {
    await expect(list(request)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details });
  });
});

describe('RevokeKeys', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  const revoke = (request: RevokeKeysRequest) => service.clients.revokeKeys(request);
  const reasonFor = async (fullKey: string) => (await service.clients.validate(fullKey)).denial?.reason;

  test('revokes one key by its id, and its owner sees that the platform did', async () => {
    const { person } = await newOwner(service);
    const [revoked, other] = [await person.newKey(), await person.newKey()];
    expect(await revoke({ keyId: revoked.apiKey.id.toUpperCase() })).toBe(1);
    expect(await revoke({ keyId: revoked.apiKey.id })).toBe(0);
    expect(await reasonFor(revoked.fullKey)).toBe('REASON_REVOKED');
    expect(await reasonFor(other.fullKey)).toBeUndefined();
    const [event, ...earlier] = (await person.events()).items.filter(({ type }) => type.startsWith('api_key.'));
    expect(event).toMatchObject({ type: 'api_key.revoked', reason: 'platform', clientIp: null, userAgent: null });
    expect(earlier.map(({ type }) => type)).toEqual(['api_key.created', 'api_key.created']);
  });

  test('revokes every key of a suspended owner, so that reactivation restores none', async () => {
    const [owner, other] = [await newOwner(service), await newOwner(service)];
    const keys = [await owner.person.newKey(), await owner.person.newKey()];
    const untouched = await other.person.newKey();
    await service.clients.account('SuspendAccount', owner.id);
    expect(await revoke({ ownerId: owner.id })).toBe(2);
    expect(await revoke({ ownerId: owner.id })).toBe(0);
    await service.clients.account('ReactivateAccount', owner.id);
    for (const { fullKey } of keys) expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
    expect(await reasonFor(untouched.fullKey)).toBeUndefined();
  });

  test.each<[string, RevokeKeysRequest]>([
    ['a key', { keyId: randomUUID() }],
    ['an account', { ownerId: randomUUID() }],
  ])('answers NOT_FOUND for an unknown id of %s', async (_, request) => {
    await expect(revoke(request)).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  test.each<[string, RevokeKeysRequest, string]>([
    ['no id', {}, 'key_id or owner_id is required'],
    ['an id of a key that is not a UUID', { keyId: 'lk_1' }, 'key_id must be the id of a key, a UUID'],
    ['an empty id of a key', { keyId: '' }, 'key_id must be the id of a key, a UUID'],
    ['a malformed id of an account', { ownerId: 'a b' }, expect.stringMatching(/^owner_id must be 1 to 128/) as never],
    ['an empty id of an account', { ownerId: '' }, expect.stringMatching(/^owner_id must be 1 to 128/) as never],
  ])('answers INVALID_ARGUMENT with the field for %s', async (_, request, details) => {
    await expect(revoke(request)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details });
  });
});
