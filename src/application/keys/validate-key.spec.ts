import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  runOut,
  times,
  type Application,
} from '../../../test/support/application.js';
import { createDatabase } from '../../../test/support/databases.mjs';
import { STORE_PATIENCE_MS } from '../../../test/support/patience.mjs';
import type { Operation } from '../../domain/keys/access.js';
import { KeyString } from '../../domain/keys/key-string.js';
import type { DenialReason, Question } from '../../domain/keys/verdict.js';
import { LatchkeyError } from '../../domain/errors.js';
import { PostgresKeyReader } from '../../infrastructure/outbound/postgres/keys/key-reader.js';
import type { CreateApiKeyCommand, CreatedApiKey } from './create-api-key.js';
import { KeyReader, RateLimiter } from '../ports.js';
import { ValidateKey } from './validate-key.js';

const READ: Question = { operation: 'read', permission: '' };

const LIMITED = { admitted: false, limit: 3, remaining: 0, resetAfterMicros: 3_000_000, retryAfterMicros: 1_000_000 };
/** As Redis is asked. */
class DistantLimiter extends RateLimiter {
  override charge = () => Promise.resolve(LIMITED);
}
const limiter = new DistantLimiter();

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url, { rateLimit: { perSecond: 1, burst: 3 } });
});
afterAll(async () => {
  await app?.close();
  await database.drop();
});

async function newKey(part: Partial<CreateApiKeyCommand> = {}): Promise<CreatedApiKey> {
  const { id } = await newOwner(app);
  return createKey(app, id, part);
}

const validate = (credential: string | undefined, question = READ) =>
  app.validateKey.execute(credential, question, client());

/** The same public part with a secret that is as well-formed as the right one. */
function withAnotherSecret(fullKey: string): string {
  const other = KeyString.generate('lk').reveal();
  const unsealed = fullKey.slice(0, 28) + other.slice(28, 84);
  return unsealed + crc32(unsealed).toString(16).padStart(8, '0');
}

const failures = (ownerId: string) => eventsOf(app, ownerId, 'authentication.failed');

describe('a key that is good', () => {
  test('is granted, with what its owner has and its access level lets through', async () => {
    const { key, fullKey } = await newKey({ access: 'read-only', expiresInDays: 3 });
    const { verdict, rate } = await validate(fullKey, { operation: 'read', permission: 'systems:read' });
    expect(verdict).toEqual({
      granted: true,
      keyId: key.id,
      ownerId: key.ownerId,
      access: 'read-only',
      permissions: ['systems:read'],
      createdAt: key.snapshot().createdAt,
      expiresAt: key.snapshot().expiresAt,
    });
    expect(rate).toMatchObject({ admitted: true, limit: 3, remaining: 2 });
    expect(await failures(key.ownerId)).toEqual([]);
  });

  test('asked by many at once, each gets its own answer', async () => {
    const keys = await Promise.all(times(8, () => newKey()));
    const credentials = times(200, (n) => (n % 10 < 8 ? keys[n % 10]!.fullKey : KeyString.generate('lk').reveal()));
    const answers = await Promise.all(credentials.map((credential) => validate(credential)));
    answers.forEach(({ verdict }, n) => {
      if (verdict.granted) expect(verdict.keyId).toBe(keys[n % 10]!.key.id);
      else expect(verdict.reason).toBe(n % 10 < 8 ? 'rate-limited' : 'invalid-key');
    });
    expect(answers.filter(({ verdict }) => verdict.granted)).toHaveLength(8 * 3);
  });

  test('is judged by the permissions its owner has at that moment', async () => {
    const { key, fullKey } = await newKey();
    const owner = await app.getAccount.execute(key.ownerId);
    const { id, email, displayName } = owner;
    const question: Question = { operation: 'read', permission: 'billing:read' };
    expect((await validate(fullKey, question)).verdict).toMatchObject({ reason: 'missing-permission' });
    await app.putAccount.execute({ id, email, displayName, permissions: ['billing:read'] });
    expect((await validate(fullKey, question)).verdict).toMatchObject({ permissions: ['billing:read'] });
    await app.putAccount.execute({ id, email, displayName, permissions: [] });
    expect((await validate(fullKey, question)).verdict).toMatchObject({ reason: 'missing-permission' });
  });
});

describe('before the secret is proven', () => {
  test.each<[string, () => Promise<string | undefined> | string | undefined]>([
    ['no credential', () => undefined],
    ['an empty one', () => ''],
    ['no key', () => 'let me in'],
    ['a key with another prefix', () => KeyString.generate('xy').reveal()],
    ['a mistyped key', async () => (await newKey()).fullKey.replace(/.$/, (c) => (c === '0' ? '1' : '0'))],
    ['a key in upper case', async () => (await newKey()).fullKey.toUpperCase()],
    ['a key nobody made', () => KeyString.generate('lk').reveal()],
    ["another's secret", async () => withAnotherSecret((await newKey()).fullKey)],
  ])('%s is an invalid key: no rate is told, and it is on record', async (_what, make) => {
    const from = client('203.0.113.5');
    const answer = await app.validateKey.execute(await make(), READ, from);
    expect(answer).toEqual({ verdict: { granted: false, reason: 'invalid-key' } });
    const events = await app.sql(`SELECT * FROM audit_events WHERE request_id = $1`, [from.requestId]);
    expect(events).toMatchObject([{ type: 'authentication.failed', reason: 'invalid-key', client_ip: '203.0.113.5' }]);
  });

  test('the record points at the key and its owner when the public part is known', async () => {
    const { key, fullKey } = await newKey();
    await validate(withAnotherSecret(fullKey));
    expect(await failures(key.ownerId)).toMatchObject([
      { reason: 'invalid-key', key_id: key.id, public_part: fullKey.slice(3, 27), actor_id: null },
    ]);
  });

  test('a wrong secret says nothing of the key, whatever state it is in, and is not charged to it', async () => {
    const { key, fullKey } = await newKey();
    await app.revokeApiKey.execute(key.ownerId, key.id, client());
    await app.changeAccountStatus.suspend(key.ownerId);
    for (let n = 0; n < 5; n += 1) {
      const { verdict, rate } = await validate(withAnotherSecret(fullKey));
      expect([verdict, rate]).toEqual([{ granted: false, reason: 'invalid-key' }, undefined]);
    }
    expect((await validate(fullKey)).rate).toMatchObject({ remaining: 2 });
  });
});

describe('once the secret is proven', () => {
  const ask = (operation: Operation, permission = ''): Question => ({ operation, permission });
  const cases: [DenialReason, (created: CreatedApiKey) => Promise<unknown>, Question, boolean][] = [
    ['revoked', ({ key }) => app.revokeApiKey.execute(key.ownerId, key.id, client()), READ, true],
    ['expired', ({ key }) => runOut(app, key.id), READ, true],
    ['owner-suspended', ({ key }) => app.changeAccountStatus.suspend(key.ownerId), READ, true],
    ['owner-deleted', ({ key }) => app.changeAccountStatus.delete(key.ownerId), READ, true],
    ['operation-not-allowed', async () => {}, ask('destroy'), false],
    ['read-only-key', async () => {}, ask('write'), false],
    ['missing-permission', async () => {}, ask('read', 'systems:write'), false],
  ];

  test.each(cases)('%s is told, and charged', async (reason, bringAbout, question, isFailure) => {
    const created = await newKey({ access: 'read-only' });
    await bringAbout(created);
    const { verdict, rate } = await validate(created.fullKey, question);
    expect(verdict).toEqual({ granted: false, reason });
    expect(rate).toMatchObject({ admitted: true, limit: 3, remaining: 2, retryAfterMicros: 0 });
    const recorded = isFailure ? [{ reason, key_id: created.key.id, public_part: created.fullKey.slice(3, 27) }] : [];
    expect(await failures(created.key.ownerId)).toMatchObject(recorded);
  });

  test('too many requests are told with the wait, and are no failed authentication', async () => {
    const { key, fullKey } = await newKey();
    for (let n = 0; n < 3; n += 1) expect((await validate(fullKey)).verdict.granted).toBe(true);
    const { verdict, rate } = await validate(fullKey);
    expect(verdict).toEqual({ granted: false, reason: 'rate-limited' });
    expect(rate).toMatchObject({ admitted: false, remaining: 0 });
    expect(rate!.retryAfterMicros).toBeGreaterThan(0);
    expect(rate!.retryAfterMicros).toBeLessThanOrEqual(1_000_000);
    expect(await failures(key.ownerId)).toEqual([]);
  });

  test('a key beyond its limit is told first that it was revoked', async () => {
    const { key, fullKey } = await newKey();
    for (let n = 0; n < 4; n += 1) await validate(fullKey);
    await app.revokeApiKey.execute(key.ownerId, key.id, client());
    expect((await validate(fullKey)).verdict).toEqual({ granted: false, reason: 'revoked' });
  });

  test.each(['suspend', 'delete'] as const)(
    '%s and reactivate: the key works again, unless it ended meanwhile',
    async (change) => {
      const { id } = await newOwner(app);
      const [living, revoked, expiring] = [
        await createKey(app, id),
        await createKey(app, id),
        await createKey(app, id),
      ];
      await app.revokeApiKey.execute(id, revoked!.key.id, client());
      await app.changeAccountStatus[change](id);
      await app.sql(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [expiring!.key.id]);
      await app.changeAccountStatus.reactivate(id);
      expect((await validate(living!.fullKey)).verdict.granted).toBe(true);
      expect((await validate(revoked!.fullKey)).verdict).toMatchObject({ reason: 'revoked' });
      expect((await validate(expiring!.fullKey)).verdict).toMatchObject({ reason: 'expired' });
    },
  );
});

describe('what a validation leaves behind', () => {
  const counts = async () => {
    const text = await app.meter.text();
    const count = (label: string) => Number(new RegExp(`\\{outcome="${label}"\\} (\\d+)`).exec(text)![1]);
    return [count('granted",reason="'), count('denied",reason="revoked'), count('failed",reason="')];
  };
  const lastUseOf = async (ownerId: string) =>
    (await app.listApiKeys.execute(ownerId, undefined, { limit: 1 })).items[0]!.lastUsedAt;

  test('is one count of what it came to, and for a grant the last use', async () => {
    const { key, fullKey } = await newKey();
    const before = await counts();
    await validate(fullKey);
    await app.lastUse.flush();
    const used = await lastUseOf(key.ownerId);
    expect(used).toBeInstanceOf(Date);
    await app.revokeApiKey.execute(key.ownerId, key.id, client());
    await validate(fullKey);
    await app.lastUse.flush();
    expect(await lastUseOf(key.ownerId)).toEqual(used);
    expect(await counts()).toEqual([before[0]! + 1, before[1]! + 1, before[2]]);
  });

  test('is a failure counted, and thrown, when the stores can’t tell', async () => {
    class Away extends KeyReader {
      override read = () => Promise.reject(new LatchkeyError('unavailable', 'away'));
    }
    const before = await counts();
    const blind = new ValidateKey(new Away(), limiter, app.keys, app.lastUse, app.audit, app.meter, 'lk');
    const asked = blind.execute(KeyString.generate('lk').reveal(), READ, client());
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    expect(await counts()).toEqual([before[0], before[1], before[2]! + 1]);
  });
});

test('a limiter that has to ask elsewhere is waited for', async () => {
  const { fullKey } = await newKey();
  const reader = new PostgresKeyReader(database.url, STORE_PATIENCE_MS);
  const asking = new ValidateKey(reader, limiter, app.keys, app.lastUse, app.audit, app.meter, 'lk');
  expect(await asking.execute(fullKey, READ, client())).toEqual({
    verdict: { granted: false, reason: 'rate-limited' },
    rate: LIMITED,
  });
  await reader.close();
});

describe('audited or not done', () => {
  test('a failure is on record, for another connection to see, when it is answered', async () => {
    const { key, fullKey } = await newKey();
    await app.changeAccountStatus.suspend(key.ownerId);
    const onLooker = new pg.Client({ connectionString: database.url });
    await onLooker.connect();
    for (let seen = 1; seen <= 20; seen += 1) {
      await validate(fullKey);
      const { rows } = await onLooker.query(
        `SELECT sum(count)::int AS n FROM audit_events WHERE key_id = $1 AND reason = 'owner-suspended'`,
        [key.id],
      );
      expect(rows).toEqual([{ n: seen }]);
    }
    await onLooker.end();
  });

  test('failures alike that arrive together share an event with their number', async () => {
    const { key, fullKey } = await newKey();
    await app.changeAccountStatus.suspend(key.ownerId);
    await Promise.all(times(50, () => validate(fullKey)));
    const counts = (await failures(key.ownerId)).map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(50);
    expect(counts.length).toBeLessThan(50);
  });

  test('while nothing can be recorded, what must be is answered unavailable, never with a verdict', async () => {
    const good = await newKey();
    const suspended = await newKey();
    await app.changeAccountStatus.suspend(suspended.key.ownerId);
    const unavailable = { code: 'unavailable' };
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE');
    await expect(validate('let me in')).rejects.toMatchObject(unavailable);
    await expect(validate(undefined)).rejects.toMatchObject(unavailable);
    await expect(validate(KeyString.generate('lk').reveal())).rejects.toMatchObject(unavailable);
    await expect(validate(suspended.fullKey)).rejects.toMatchObject(unavailable);
    // Needs no record.
    expect((await validate(good.fullKey)).verdict.granted).toBe(true);
    await holder.query('ROLLBACK');
    await holder.end();
    const from = client();
    const { verdict } = await app.validateKey.execute(suspended.fullKey, READ, from);
    expect(verdict).toEqual({ granted: false, reason: 'owner-suspended' });
  });

  test('an expiry that can’t be recorded is not answered either, and is not lost', async () => {
    const { key, fullKey } = await newKey();
    await app.sql(`UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1`, [key.id]);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE');
    await expect(validate(fullKey)).rejects.toMatchObject({ code: 'unavailable' });
    await holder.query('ROLLBACK');
    await holder.end();
    expect((await validate(fullKey)).verdict).toEqual({ granted: false, reason: 'expired' });
    expect(await eventsOf(app, key.ownerId, 'api_key.expired')).toHaveLength(1);
  });
});
