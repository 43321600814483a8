import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedService, type Service } from '../support/processes/service.js';

describe('an API key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  test('is granted until its revocation is answered, and never after that', async () => {
    const person = await service.person().signIn();
    const { apiKey, fullKey } = await person.newKey({ access: 'read-only' });
    expect((await service.clients.validate(fullKey)).grant).toMatchObject({
      keyId: apiKey.id,
      ownerId: 'demo',
      access: 'ACCESS_LEVEL_READ_ONLY',
      permissions: ['systems:read'],
    });
    expect((await person.revoke(apiKey.id)).status).toBe(200);
    expect((await service.clients.validate(fullKey)).denial).toMatchObject({
      reason: 'REASON_REVOKED',
      httpStatus: 401,
      message: 'invalid api key',
    });
  });
});
