import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RevokeKeysRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/RevokeKeysRequest.js';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';

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
