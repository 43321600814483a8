import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';

describe('KEY_CHANGES_PER_HOUR', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ KEY_CHANGES_PER_HOUR: '3' });
  });
  afterAll(() => service.stop());

  test('answers creations and rotations above it 429 with Retry-After, and repeats with their Idempotency-Key as before', async () => {
    const { person } = await newOwner(service);
    const once = { 'idempotency-key': 'once' };
    const { body: first } = await person.create({}, once);
    expect((await person.create({}, once)).body).toMatchObject({ code: 'idempotency_key_reused' });
    const { apiKey: other } = await person.newKey();
    expect((await person.rotate(first.apiKey.id)).status).toBe(201);

    for (const refused of [await person.create(), await person.rotate(other.id)]) {
      expect([refused.status, refused.body]).toEqual([
        429,
        {
          type: 'urn:latchkey:problem:too-many-changes',
          title: 'Too many changes',
          status: 429,
          detail: 'At most 3 API keys can be created or rotated in an hour: try again later',
          code: 'too_many_changes',
        },
      ]);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(3600);
    }
    expect((await person.create({}, once)).body).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await person.revoke(other.id)).status).toBe(200);
  });
});
