import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ValidateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const WRITE: ValidateKeyRequest = { operation: 'OPERATION_WRITE', permission: 'systems:write' };

describe('two instances with one database', () => {
  let here: Service;
  let elsewhere: Service;
  beforeAll(async () => {
    here = await startService(UNLIMITED);
    elsewhere = await startService({ ...UNLIMITED, DATABASE_URL: here.databaseUrl });
  });
  afterAll(async () => {
    await elsewhere.stop();
    await here.stop();
  });

  const CHANGES: Record<string, (owner: Owner, keyId: string) => Promise<void>> = {
    revoke: async ({ person }, keyId) => {
      expect((await person.revoke(keyId)).status).toBe(200);
    },
    pause: async ({ person }, keyId) => {
      expect((await person.call('POST', `/v1/api-keys/${keyId}/pause`, { minutes: 60 })).status).toBe(200);
    },
    suspension: async ({ id }) => {
      await here.clients.account('SuspendAccount', id);
    },
    deletion: async ({ id }) => {
      await here.clients.account('DeleteAccount', id);
    },
    'permission removal': async ({ id, email }) => {
      await here.clients.putAccount({ id, email, permissions: ['systems:read'] });
    },
  };

  test.each(Object.entries(CHANGES))(
    'grant nothing on one after the answer to a %s on the other, in 1,000 validations',
    async (_, change) => {
      const owner = await newOwner(here);
      const { apiKey, fullKey } = await owner.person.newKey();
      const validate = () => elsewhere.clients.validate(fullKey, WRITE);
      const before = await Promise.all(Array.from({ length: 100 }, validate));
      expect(before.filter(({ grant }) => grant)).toHaveLength(100);
      await change(owner, apiKey.id);
      const after = await Promise.all(Array.from({ length: 1000 }, validate));
      expect(after.filter(({ grant }) => grant)).toEqual([]);
      expect(after.filter(({ denial }) => denial)).toHaveLength(1000);
    },
  );

  test.each(Object.entries(CHANGES))(
    'grant no validation that starts after the answer to a %s, also under load',
    async (_, change) => {
      const owner = await newOwner(here);
      const { apiKey, fullKey } = await owner.person.newKey();
      const grantedStarts: number[] = [];
      let deniedSinceChange = 0;
      let changedAt = Infinity;
      const hammer = async () => {
        while (deniedSinceChange < 64) {
          const startedAt = performance.now();
          const { grant } = await elsewhere.clients.validate(fullKey, WRITE);
          if (grant) grantedStarts.push(startedAt);
          if (startedAt > changedAt) deniedSinceChange += 1;
        }
      };
      const hammers = Array.from({ length: 16 }, hammer);
      while (grantedStarts.length < 100) await elsewhere.clients.validate(fullKey, WRITE);
      await change(owner, apiKey.id);
      changedAt = performance.now();
      await Promise.all(hammers);
      expect(grantedStarts.length).toBeGreaterThanOrEqual(100);
      expect(grantedStarts.filter((startedAt) => startedAt > changedAt)).toEqual([]);
    },
  );

  test('create exactly one of 50 simultaneous keys for an owner who has four', async () => {
    const owner = await newOwner(here);
    for (let held = 0; held < 4; held += 1) await owner.person.newKey();
    const people = [owner.person, await elsewhere.person().signIn(owner.email)];
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => people[index % 2]!.create()));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    // Only these refusals are expected: the maximum number of keys, a full queue of password checks, or too many wrong
    // passwords.
    for (const status of statuses) expect([201, 409, 429, 503]).toContain(status);
    const [row] = await sql<{ keys: string; events: string }>(
      here.databaseUrl,
      `SELECT (SELECT count(*) FROM api_keys WHERE owner_id = $1) AS keys,
        (SELECT count(*) FROM audit_events WHERE owner_id = $1 AND type = 'api_key.created') AS events`,
      [owner.id],
    );
    expect(row).toEqual({ keys: '5', events: '5' });
    expect((await owner.person.create()).status).toBe(409);
  });
});
