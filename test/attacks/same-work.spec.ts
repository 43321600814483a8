import * as crypto from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createDatabase } from '../support/stores/databases.mjs';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import type { Audit } from '#application/audit-ports.js';
import type { Application } from '../support/application/application.js';

/** The steps that were taken, in order. */
const work: string[] = [];
const noted =
  <Arguments extends unknown[], Result>(name: string, act: (...args: Arguments) => Result) =>
  (...args: Arguments) => {
    work.push(name);
    return act(...args);
  };
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  hash: noted('hash', crypto.hash),
  timingSafeEqual: noted('compare', crypto.timingSafeEqual),
}));
// Modules that import node:crypto must be imported after the mock.
const { client, createKey, newOwner, openApplication } = await import('../support/application/application.js');
const { ValidateKey } = await import('#application/validation/validate-key.js');
const { MemoryRateLimiter } = await import('#infrastructure/outbound/memory/memory-rate-limiter.js');
const { PostgresKeyReader } = await import('#infrastructure/outbound/postgres/keys/key-reader.js');
const { primaryAt } = await import('../support/stores/primary.js');

describe('the denial of a validation', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let app: Application;
  beforeAll(async () => {
    database = await createDatabase();
    app = await openApplication(database.url);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  test('takes the same steps in the same order for an existing and an unknown key', async () => {
    class NotedReader extends PostgresKeyReader {
      override read = noted('read', (publicPart: string) => super.read(publicPart));
    }
    class NotedAudit implements Audit {
      recordFailure = noted('record', () => Promise.resolve());
      record = () => Promise.reject(new Error('nothing else is recorded'));
      list = () => Promise.reject(new Error('nothing is recorded'));
      search = this.list;
    }
    const reader = new NotedReader(primaryAt(database.url));
    const limiter = new MemoryRateLimiter();
    const validateKey = new ValidateKey({
      ...app,
      keyReader: reader,
      limiter,
      audit: new NotedAudit(),
      keyPrefix: 'lk',
      importPrefixes: [],
      rateLimit: { perSecond: 1, burst: 1 },
      leaseMs: 0,
    });
    const workFor = async (key: string) => {
      work.length = 0;
      const { verdict } = await validateKey.execute({
        credential: key,
        question: { operation: 'read', permission: '' },
        client: client(),
      });
      expect(verdict).toMatchObject({ granted: false, reason: 'invalid-key' });
      return [...work];
    };
    const { fullKey } = await createKey(app, (await newOwner(app)).id);
    try {
      await reader.open();
      const known = await workFor(withWrongSecret(fullKey));
      expect(known).toEqual(['hash', 'read', 'compare', 'record']);
      expect(await workFor(unknownKey())).toEqual(known);
    } finally {
      limiter.close();
      await reader.close();
    }
  });
});
