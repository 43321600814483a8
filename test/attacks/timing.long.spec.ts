import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import type { Audit } from '#application/audit-ports.js';
import { ValidateKey } from '#application/validation/validate-key.js';
import { MemoryRateLimiter } from '#infrastructure/outbound/memory/memory-rate-limiter.js';
import { PostgresKeyReader } from '#infrastructure/outbound/postgres/keys/key-reader.js';
import {
  client,
  createKey,
  newOwner,
  openApplication,
  times,
  type Application,
} from '../support/application/application.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { primaryAt } from '../support/stores/primary.js';
import { medianOf, Sample, welchT } from './statistics.js';

const READ = { operation: 'read', permission: '' } as const;
/** The number of samples of each kind. */
const WARM_UPS = 300;
const TRIES = 50_000;
const ATTACKERS = 400;

/** Records nothing, without a delay, so that only the validation is measured. */
class NoAudit implements Audit {
  async recordFailure(): Promise<void> {}
  record = () => Promise.reject(new Error('nothing else is recorded'));
  list = () => Promise.reject(new Error('nothing is recorded'));
  search = this.list;
}

describe('the time of a denial', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let app: Application;
  let keys: string[];
  beforeAll(async () => {
    database = await createDatabase();
    app = await openApplication(database.url);
    const owner = await newOwner(app);
    const created = await Promise.all(times(5, () => createKey(app, owner.id)));
    keys = created.map(({ fullKey }) => fullKey);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  /**
   * Validates an existing key with a wrong secret and an unknown key, in random order. Returns the time of each.
   */
  async function refuseOneByOne(validateKey: ValidateKey): Promise<{ knownMs: number; unknownMs: number }> {
    const refuse = async (key: string) => {
      const start = performance.now();
      await validateKey.execute({ credential: key, question: READ, client: client() });
      return performance.now() - start;
    };
    const known = withWrongSecret(keys[randomInt(keys.length)]!);
    if (randomInt(2) === 0) return { knownMs: await refuse(known), unknownMs: await refuse(unknownKey()) };
    const unknownMs = await refuse(unknownKey());
    return { knownMs: await refuse(known), unknownMs };
  }

  /** The same; undefined when the machine is too busy to answer in time. */
  async function refuseBoth(validateKey: ValidateKey) {
    return refuseOneByOne(validateKey).catch((error: { code?: string }) => {
      if (error.code !== 'unavailable') throw error;
      return undefined;
    });
  }

  test('differs between an existing and an unknown key only by the read of one row', async () => {
    const reader = new PostgresKeyReader(primaryAt(database.url));
    const limiter = new MemoryRateLimiter();
    const rateLimit = { perSecond: 1, burst: 1 };
    const parts = {
      keyReader: reader,
      limiter,
      audit: new NoAudit(),
      keyPrefix: 'lk',
      importPrefixes: [],
      rateLimit,
      leaseMs: 0,
    };
    const judge = new ValidateKey({ ...app, ...parts });
    try {
      await reader.open();
      for (let pair = 0; pair < WARM_UPS; pair += 1) await refuseBoth(judge);
      const known: number[] = [];
      const unknown: number[] = [];
      for (let pair = 0; pair < TRIES; pair += 1) {
        const took = await refuseBoth(judge);
        if (took) known.push(took.knownMs);
        if (took) unknown.push(took.unknownMs);
      }
      // PostgreSQL and pg need about 0.01 ms for the row itself; one more statement would need ten times as much.
      expect(Math.abs(medianOf(known) - medianOf(unknown))).toBeLessThan(0.06);
    } finally {
      limiter.close();
      await reader.close();
    }
  });

  test(`is the same for existing and unknown keys in ${2 * TRIES} validations: Welch's |t| < 4.5`, async () => {
    const known = new Sample();
    const unknown = new Sample();
    let begun = 0;
    const attack = async () => {
      while ((begun += 1) <= TRIES) {
        const took = await refuseBoth(app.validateKey);
        if (took) known.add(took.knownMs);
        if (took) unknown.add(took.unknownMs);
      }
    };
    // A single attacker would wait 250 ms for each answer, because the events of a flood are written in groups.
    await Promise.all(times(ATTACKERS, attack));
    expect(known.count).toBeGreaterThan(TRIES / 2);
    expect(Math.abs(welchT(known, unknown))).toBeLessThan(4.5);
  });
});
