import { crc32 } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { endAt, eventsOf, runOut } from '#test/support/application/stored.js';
import { client, createKey, newOwner, rotateKey, times, themselves } from '#test/support/application/calls.js';
import type { DenialReason, Operation, Question } from '#domain/keys/verdict.js';
import { LatchkeyError } from '#domain/errors.js';
import { DAY_MS } from '#domain/time.js';
import { KeyString } from '#domain/keys/key-string.js';
import type { CreateApiKeyCommand, CreatedApiKey } from '../keys/make-api-keys.js';
import { RecordDueEnds, RecordFirstUse } from '../keys/record-due-ends.js';
import type { RecordingGate } from '../key-ports.js';
import type { KeyReader, RateLimiter } from '../validation-ports.js';
import { ValidateKey, type ValidationParts } from './validate-key.js';

const READ: Question = { operation: 'read', permission: '' };

const SLOW = { perSecond: 1, burst: 3 };
const LIMITED = {
  admitted: false,
  limit: SLOW,
  remaining: 0,
  resetAfterMicros: 3_000_000,
  retryAfterMicros: 1_000_000,
};
/** Answers asynchronously, as Redis does. */
class DistantLimiter implements RateLimiter {
  charge = () => Promise.resolve(LIMITED);
}
const limiter = new DistantLimiter();

const app = openFakes({ settings: { rateLimit: SLOW } });

/** Uses the same store, but its own reader and the asynchronous limiter. */
function judgeOver(reader: KeyReader): ValidateKey {
  return new ValidateKey({ ...app, keyReader: reader, limiter, keyPrefix: 'lk', importPrefixes: [] });
}

/** Uses the same store. Something happens once, after the first read of the key. */
function judgeAfter(happen: () => Promise<unknown>, parts: Partial<ValidationParts> = {}) {
  let waiting: typeof happen | undefined = happen;
  const read: KeyReader['read'] = async (publicPart) => {
    const reading = await app.keyReader.read(publicPart);
    const now = waiting;
    waiting = undefined;
    await now?.();
    return reading;
  };
  const judging = new ValidateKey({ ...app, keyReader: { read }, keyPrefix: 'lk', importPrefixes: [], ...parts });
  return (credential: string) => judging.execute({ credential, question: READ, client: client() });
}

async function newKey(part: Partial<CreateApiKeyCommand> = {}): Promise<CreatedApiKey> {
  const { id } = await newOwner(app);
  return createKey(app, id, part);
}

const validate = (credential: string | undefined, question = READ) =>
  app.validateKey.execute({ credential, question, client: client() });

/** The same public part with a wrong secret that is well-formed. */
function withAnotherSecret(fullKey: string): string {
  const other = KeyString.generate('lk').reveal();
  const unsealed = fullKey.slice(0, 28) + other.slice(28, 84);
  return unsealed + crc32(unsealed).toString(16).padStart(8, '0');
}

const failures = (ownerId: string) => eventsOf(app, ownerId, 'authentication.failed');
const eventsFrom = ({ requestId }: { requestId: string | null }) =>
  app.store.events.filter((event) => event.requestId === requestId);

describe('ValidateKey with a valid key', () => {
  test('grants the permissions of the owner that the access level allows', async () => {
    const { key, fullKey } = await newKey({ access: 'read-only', expiresInDays: 3 });
    const { verdict, rate } = await validate(fullKey, { operation: 'read', permission: 'systems:read' });
    expect(verdict).toEqual({
      granted: true,
      keyId: key.id,
      ownerId: key.ownerId,
      access: 'read-only',
      permissions: ['systems:read'],
      attributes: [],
      createdAt: key.snapshot().createdAt,
      expiresAt: key.snapshot().expiresAt,
    });
    expect(rate).toMatchObject({ admitted: true, limit: SLOW, remaining: 2 });
    expect(failures(key.ownerId)).toEqual([]);
  });

  test('gives each of many concurrent requests its own answer', async () => {
    const keys = await Promise.all(times(8, () => newKey()));
    const credentials = times(200, (n) => (n % 10 < 8 ? keys[n % 10]!.fullKey : KeyString.generate('lk').reveal()));
    const answers = await Promise.all(credentials.map((credential) => validate(credential)));
    answers.forEach(({ verdict }, n) => {
      if (verdict.granted) expect(verdict.keyId).toBe(keys[n % 10]!.key.id);
      else expect(verdict.reason).toBe(n % 10 < 8 ? 'rate-limited' : 'invalid-key');
    });
    expect(answers.filter(({ verdict }) => verdict.granted)).toHaveLength(8 * 3);
  });

  test('judges by the current permissions of the owner', async () => {
    const { key, fullKey } = await newKey();
    const owner = await app.findAccounts.byId(key.ownerId);
    const { id, email, displayName } = owner;
    const question: Question = { operation: 'read', permission: 'billing:read' };
    expect((await validate(fullKey, question)).verdict).toMatchObject({ reason: 'missing-permission' });
    await app.putAccount.execute({ id, email, displayName, permissions: ['billing:read'] });
    expect((await validate(fullKey, question)).verdict).toMatchObject({ permissions: ['billing:read'] });
    await app.putAccount.execute({ id, email, displayName, permissions: [] });
    expect((await validate(fullKey, question)).verdict).toMatchObject({ reason: 'missing-permission' });
  });
});

describe('ValidateKey before the secret is proven', () => {
  const mistyped = async () => (await newKey()).fullKey.replace(/.$/, (c) => (c === '0' ? '1' : '0'));
  test.each<[string, () => Promise<string | undefined> | string | undefined, string]>([
    ['no credential', () => undefined, 'no credential that can be read'],
    ['an empty one', () => '', 'not a well-formed key'],
    ['no key', () => 'let me in', 'not a well-formed key'],
    ['a key with another prefix', () => KeyString.generate('xy').reveal(), 'not a well-formed key'],
    ['a mistyped key', mistyped, 'not a well-formed key'],
    ['a key in upper case', async () => (await newKey()).fullKey.toUpperCase(), 'not a well-formed key'],
    ['a key that was never created', () => KeyString.generate('lk').reveal(), 'unknown key'],
    ["another's secret", async () => withAnotherSecret((await newKey()).fullKey), 'wrong secret'],
  ])(
    'denies %s as an invalid key without a rate, records it, and reports why to the operator',
    async (_, make, why) => {
      const from = client('203.0.113.5');
      const answer = await app.validateKey.execute({ credential: await make(), question: READ, client: from });
      expect(answer).toEqual({ verdict: { granted: false, reason: 'invalid-key' } });
      expect(eventsFrom(from)).toMatchObject([
        { type: 'authentication.failed', reason: 'invalid-key', clientIp: '203.0.113.5' },
      ]);
      expect(app.refusals.noted.at(-1)).toMatchObject({ reason: 'invalid-key', client: from, why });
    },
  );

  test('records the key and its owner when the public part is known', async () => {
    const { key, fullKey } = await newKey();
    await validate(withAnotherSecret(fullKey));
    expect(failures(key.ownerId)).toMatchObject([
      { reason: 'invalid-key', keyId: key.id, publicPart: fullKey.slice(3, 27), actorId: null },
    ]);
  });

  test('reveals nothing about a key to a wrong secret, and does not charge it', async () => {
    const { key, fullKey } = await newKey();
    await app.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client());
    await app.changeAccount.suspend(key.ownerId);
    for (let n = 0; n < 5; n += 1) {
      const { verdict, rate } = await validate(withAnotherSecret(fullKey));
      expect([verdict, rate]).toEqual([{ granted: false, reason: 'invalid-key' }, undefined]);
    }
    expect((await validate(fullKey)).rate).toMatchObject({ remaining: 2 });
  });
});

describe('ValidateKey after the secret is proven', () => {
  const questionOf = (operation: Operation, permission = ''): Question => ({ operation, permission });
  const cases: [DenialReason, (created: CreatedApiKey) => Promise<unknown>, Question, boolean][] = [
    ['revoked', ({ key }) => app.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client()), READ, true],
    ['expired', async ({ key }) => runOut(app, key.id), READ, true],
    ['owner-suspended', ({ key }) => app.changeAccount.suspend(key.ownerId), READ, true],
    ['owner-deleted', ({ key }) => app.changeAccount.delete(key.ownerId), READ, true],
    ['operation-not-allowed', async () => {}, questionOf('destroy'), false],
    ['read-only-key', async () => {}, questionOf('write'), false],
    ['missing-permission', async () => {}, questionOf('read', 'systems:write'), false],
  ];

  test.each(cases)('answers %s, and charges the request', async (reason, bringAbout, question, isFailure) => {
    const created = await newKey({ access: 'read-only' });
    await bringAbout(created);
    const { verdict, rate, proven } = await validate(created.fullKey, question);
    expect(verdict).toMatchObject({ granted: false, reason });
    expect(proven).toEqual({ keyId: created.key.id, ownerId: created.key.ownerId });
    expect(rate).toMatchObject({ admitted: true, limit: SLOW, remaining: 2, retryAfterMicros: 0 });
    const recorded = isFailure ? [{ reason, keyId: created.key.id, publicPart: created.fullKey.slice(3, 27) }] : [];
    expect(failures(created.key.ownerId)).toMatchObject(recorded);
    const { ownerId, id: keyId } = created.key;
    expect(app.refusals.noted.at(-1)).toMatchObject({ reason, ownerId, keyId, question });
  });

  test('answers too many requests with the wait, and not as a failed authentication', async () => {
    const { key, fullKey } = await newKey();
    for (let n = 0; n < 3; n += 1) expect((await validate(fullKey)).verdict.granted).toBe(true);
    const { verdict, rate } = await validate(fullKey);
    expect(verdict).toEqual({ granted: false, reason: 'rate-limited' });
    expect(rate).toMatchObject({ admitted: false, remaining: 0 });
    expect(rate!.retryAfterMicros).toBeGreaterThan(0);
    expect(rate!.retryAfterMicros).toBeLessThanOrEqual(1_000_000);
    expect(failures(key.ownerId)).toEqual([]);
  });

  test('answers revoked for a revoked key beyond its limit', async () => {
    const { key, fullKey } = await newKey();
    for (let n = 0; n < 4; n += 1) await validate(fullKey);
    await app.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client());
    expect((await validate(fullKey)).verdict).toEqual({ granted: false, reason: 'revoked' });
  });

  test.each(['suspend', 'delete'] as const)(
    'grants again after %s and reactivate, unless the key has ended',
    async (change) => {
      const { id } = await newOwner(app);
      const [living, revoked, expiring] = [
        await createKey(app, id),
        await createKey(app, id),
        await createKey(app, id),
      ];
      await app.changeKeysOfOwner.revoke(themselves(id), revoked!.key.id, client());
      await app.changeAccount[change](id);
      endAt(app.store, app.store.now(), expiring!.key.id);
      await app.changeAccount.reactivate(id);
      expect((await validate(living!.fullKey)).verdict.granted).toBe(true);
      expect((await validate(revoked!.fullKey)).verdict).toMatchObject({ reason: 'revoked' });
      expect((await validate(expiring!.fullKey)).verdict).toMatchObject({ reason: 'expired' });
    },
  );
});

describe('The metrics of a validation', () => {
  const counts = () => {
    const { validations } = app.meter;
    return [
      validations.filter(({ verdict }) => verdict?.granted).length,
      validations.filter(({ verdict }) => verdict?.granted === false && verdict.reason === 'revoked').length,
      validations.filter(({ error }) => error).length,
    ];
  };
  const lastUseOf = async (ownerId: string) =>
    (await app.shownKeys.ofOwner(ownerId, undefined, { limit: 1 })).items[0]!.lastUsedAt;

  test('count its outcome once, and a grant sets the last use', async () => {
    const { key, fullKey } = await newKey();
    const before = counts();
    await validate(fullKey);
    const used = await lastUseOf(key.ownerId);
    expect(used).toBeInstanceOf(Date);
    await app.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client());
    await validate(fullKey);
    expect(await lastUseOf(key.ownerId)).toEqual(used);
    expect(counts()).toEqual([before[0]! + 1, before[1]! + 1, before[2]]);
  });

  test('count a failure when a store can’t answer, and the error is thrown', async () => {
    class Away implements KeyReader {
      read = () => Promise.reject(new LatchkeyError('unavailable', 'away'));
    }
    const before = counts();
    const blind = judgeOver(new Away());
    const validation = blind.execute({
      credential: KeyString.generate('lk').reveal(),
      question: READ,
      client: client(),
    });
    await expect(validation).rejects.toMatchObject({ code: 'unavailable' });
    expect(counts()).toEqual([before[0], before[1], before[2]! + 1]);
  });
});

describe('The usage of a key', () => {
  const usesOf = (keyId: string) => app.store.uses.filter((use) => use.keyId === keyId);

  test("counts a grant from the client's address, by the calling service", async () => {
    const { key, fullKey } = await newKey();
    await app.validateKey.execute({
      credential: fullKey,
      question: READ,
      client: client('192.0.2.7'),
      service: 'gateway',
    });
    await app.validateKey.execute({ credential: fullKey, question: READ, client: client('192.0.2.8') });
    expect(usesOf(key.id)).toMatchObject([
      { count: 1, clientIp: '192.0.2.7', service: 'gateway', used: 'read' },
      { count: 1, clientIp: '192.0.2.8', service: null, used: 'read' },
    ]);
  });

  test('counts a refusal for any reason, but only after the secret is proven', async () => {
    const { key, fullKey } = await newKey({ access: 'read-only' });
    await validate(withAnotherSecret(fullKey));
    expect(usesOf(key.id)).toEqual([]);
    await validate(fullKey, { operation: 'write', permission: '' });
    await validate(fullKey, { operation: 'read', permission: 'users:read' });
    await validate(fullKey, { operation: 'destroy', permission: '' });
    expect((await validate(fullKey)).verdict).toMatchObject({ reason: 'rate-limited' });
    const reasons = () => usesOf(key.id).map(({ reason }) => reason);
    const four = ['read-only-key', 'missing-permission', 'operation-not-allowed', 'rate-limited'];
    expect(reasons()).toEqual(four);
    await app.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client());
    await validate(fullKey);
    expect(reasons()).toEqual([...four, 'revoked']);
    expect(usesOf(key.id).at(-1)).toMatchObject({ clientIp: client().ip, operation: 'read', permission: '' });
  });

  test('counts no refusal that was not answered because it could not be recorded', async () => {
    const { key, fullKey } = await newKey();
    await app.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client());
    app.store.isAuditTrailAway = true;
    await expect(validate(fullKey)).rejects.toMatchObject({ code: 'unavailable' });
    app.store.isAuditTrailAway = false;
    expect(usesOf(key.id)).toEqual([]);
  });
});

test('ValidateKey waits for a limiter that answers later', async () => {
  const { key, fullKey } = await newKey();
  const asking = judgeOver(app.keyReader);
  expect(await asking.execute({ credential: fullKey, question: READ, client: client() })).toEqual({
    verdict: { granted: false, reason: 'rate-limited' },
    rate: LIMITED,
    proven: { keyId: key.id, ownerId: key.ownerId },
  });
});

describe('The phases of a validation', () => {
  const measured = async (credential: string) => {
    const begun = performance.now();
    await app.validateKey.execute({ credential, question: READ, client: client(), arrivedAt: begun });
    const { begunAt, parts } = app.meter.validations.at(-1)!;
    expect(begunAt).toBe(begun);
    return { begun, parts };
  };
  const names = (parts: readonly { readonly part: string }[]) => parts.map(({ part }) => part);

  test('follow each other without a gap, beginning with the request', async () => {
    const { fullKey } = await newKey();
    const { begun, parts } = await measured(fullKey);
    expect(names(parts)).toEqual(['batch', 'postgresql', 'limits']);
    expect(parts.map(({ since }) => since)).toEqual([begun, parts[0]!.until, parts[1]!.until]);
  });

  test('end with the commit of an event, if there is one', async () => {
    const { key, fullKey } = await newKey();
    const wrong = await measured(withAnotherSecret(fullKey));
    expect(names(wrong.parts)).toEqual(['batch', 'postgresql', 'record']);
    expect(wrong.parts[2]!.since).toBe(wrong.parts[1]!.until);
    const malformed = await measured('let me in');
    expect(malformed.parts).toEqual([{ part: 'record', since: malformed.begun, until: expect.any(Number) }]);
    await app.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client());
    const revoked = await measured(fullKey);
    expect(names(revoked.parts)).toEqual(['batch', 'postgresql', 'limits', 'record']);
    expect(revoked.parts[3]!.since).toBe(revoked.parts[2]!.until);
  });

  test('include one commit when a first use or an end is recorded before the answer', async () => {
    const { key: old } = await newKey();
    const successor = await rotateKey(app, { ownerId: old.ownerId, id: old.id });
    const recorded = ['batch', 'postgresql', 'limits', 'record'];
    expect(names((await measured(successor.fullKey)).parts)).toEqual(recorded);
    expect(names((await measured(successor.fullKey)).parts)).toEqual(recorded.slice(0, 3));
    const { key, fullKey } = await newKey();
    runOut(app, key.id);
    expect(names((await measured(fullKey)).parts)).toEqual(recorded);
  });

  test('begin with the call when the arrival has no time', async () => {
    const { fullKey } = await newKey();
    const before = performance.now();
    await validate(fullKey);
    const { begunAt } = app.meter.validations.at(-1)!;
    expect([begunAt >= before, begunAt <= performance.now()]).toEqual([true, true]);
  });

  test('are counted from the beginning when the validation fails', async () => {
    app.store.isAuditTrailAway = true;
    const begun = performance.now();
    const failed = app.validateKey.execute({
      credential: 'let me in',
      question: READ,
      client: client(),
      arrivedAt: begun,
    });
    await expect(failed).rejects.toMatchObject({ code: 'unavailable' });
    app.store.isAuditTrailAway = false;
    expect(app.meter.validations.at(-1)).toMatchObject({ begunAt: begun, error: { code: 'unavailable' } });
  });
});

describe('A validation that must be recorded', () => {
  test('is recorded before the answer', async () => {
    const { key, fullKey } = await newKey();
    await app.changeAccount.suspend(key.ownerId);
    for (let seen = 1; seen <= 20; seen += 1) {
      await validate(fullKey);
      expect(failures(key.ownerId).map(({ reason }) => reason)).toEqual(new Array(seen).fill('owner-suspended'));
    }
  });

  test('is answered as unavailable while nothing can be recorded', async () => {
    const good = await newKey();
    const suspended = await newKey();
    await app.changeAccount.suspend(suspended.key.ownerId);
    const unavailable = { code: 'unavailable' };
    app.store.isAuditTrailAway = true;
    await expect(validate('let me in')).rejects.toMatchObject(unavailable);
    await expect(validate(undefined)).rejects.toMatchObject(unavailable);
    await expect(validate(KeyString.generate('lk').reveal())).rejects.toMatchObject(unavailable);
    await expect(validate(suspended.fullKey)).rejects.toMatchObject(unavailable);
    // Needs no event.
    expect((await validate(good.fullKey)).verdict.granted).toBe(true);
    app.store.isAuditTrailAway = false;
    const from = client();
    const { verdict } = await app.validateKey.execute({ credential: suspended.fullKey, question: READ, client: from });
    expect(verdict).toEqual({ granted: false, reason: 'owner-suspended' });
  });

  test('is not answered while an expiry can’t be recorded, and the expiry is not lost', async () => {
    const { key, fullKey } = await newKey();
    runOut(app, key.id);
    app.store.isAuditTrailAway = true;
    await expect(validate(fullKey)).rejects.toMatchObject({ code: 'unavailable' });
    app.store.isAuditTrailAway = false;
    expect((await validate(fullKey)).verdict).toEqual({ granted: false, reason: 'expired' });
    expect(eventsOf(app, key.ownerId, 'api_key.expired')).toHaveLength(1);
  });
});

test('ValidateKey records an expiry that it has read, also when the clock is set back in the meantime', async () => {
  const { key, fullKey } = await newKey();
  runOut(app, key.id);
  const readAt = app.store.now();
  const setBack = judgeAfter(async () => app.store.pass(-DAY_MS));
  expect((await setBack(fullKey)).verdict).toEqual({ granted: false, reason: 'expired' });
  expect(app.store.keys.get(key.id)!.state.expiredAt).toEqual(readAt);
  expect((await validate(fullKey)).verdict).toEqual({ granted: false, reason: 'expired' });
  expect(eventsOf(app, key.ownerId, 'api_key.expired')).toHaveLength(1);
  app.store.pass(DAY_MS);
});

test('ValidateKey reads a key once, also when it records the first use', async () => {
  const { key: old } = await newKey();
  const { fullKey } = await rotateKey(app, { ownerId: old.ownerId, id: old.id });
  let reads = 0;
  const read: KeyReader['read'] = (publicPart) => {
    reads += 1;
    return app.keyReader.read(publicPart);
  };
  const counting = new ValidateKey({ ...app, keyReader: { read }, keyPrefix: 'lk', importPrefixes: [] });
  const { verdict } = await counting.execute({ credential: fullKey, question: READ, client: client() });
  expect([verdict.granted, reads]).toEqual([true, 1]);
});

describe('ValidateKey with a key that another request is recording', () => {
  /** Another request does the same, and this one waits for it. */
  const behindAnother: RecordingGate = {
    pass: async (_keyId, _since, record) => {
      await record();
      return undefined;
    },
  };

  test('reads the key again, and answers what was recorded', async () => {
    const { key, fullKey } = await newKey();
    runOut(app, key.id);
    const dueEnds = new RecordDueEnds(app.dueKeys, behindAnother);
    const validating = judgeAfter(async () => {}, { dueEnds });
    expect((await validating(fullKey)).verdict).toEqual({ granted: false, reason: 'expired' });
    expect(eventsOf(app, key.ownerId, 'api_key.expired')).toHaveLength(1);
  });

  test('grants the first use of a successor after it was recorded, once', async () => {
    const { key: old } = await newKey();
    const { key, fullKey } = await rotateKey(app, { ownerId: old.ownerId, id: old.id }, { graceSeconds: 0 });
    const recordFirstUse = new RecordFirstUse(app.accounts, behindAnother);
    const validating = judgeAfter(async () => {}, { recordFirstUse });
    expect((await validating(fullKey)).verdict).toMatchObject({ granted: true, keyId: key.id });
    expect(eventsOf(app, key.ownerId, 'api_key.revoked')).toHaveLength(1);
  });

  test('waits for all that must be recorded since the same moment', async () => {
    const { key, fullKey } = await newKey();
    runOut(app, key.id);
    let count = 0;
    const since: number[] = [];
    const pass: RecordingGate['pass'] = async (_keyId, begun, record) => {
      since.push(begun);
      return (count += 1) < 3 ? undefined : record();
    };
    const before = performance.now();
    const validating = judgeAfter(async () => {}, { dueEnds: new RecordDueEnds(app.dueKeys, { pass }) });
    expect((await validating(fullKey)).verdict).toEqual({ granted: false, reason: 'expired' });
    expect(new Set(since).size).toBe(1);
    expect([since.length, since[0]! >= before, since[0]! <= performance.now()]).toEqual([3, true, true]);
  });

  test('denies a key that no longer exists as an invalid key', async () => {
    const { key, fullKey } = await newKey();
    runOut(app, key.id);
    const remove: RecordingGate = { pass: async () => void app.store.keys.delete(key.id) };
    const validating = judgeAfter(async () => {}, { dueEnds: new RecordDueEnds(app.dueKeys, remove) });
    expect((await validating(fullKey)).verdict).toEqual({ granted: false, reason: 'invalid-key' });
  });
});

test('ValidateKey grants an old key whose end was cancelled when the clock is set back after its read', async () => {
  const { key: old, fullKey } = await newKey();
  const { ownerId } = old;
  const successor = await rotateKey(app, { ownerId, id: old.id }, { graceSeconds: 60 });
  expect((await validate(successor.fullKey)).verdict.granted).toBe(true);
  app.store.pass(60_000);
  const validating = judgeAfter(async () => {
    app.store.pass(-60_000);
    await app.changeKeysOfOwner.revoke(themselves(ownerId), successor.key.id, client());
  });
  expect((await validating(fullKey)).verdict.granted).toBe(true);
  expect(eventsOf(app, ownerId, 'api_key.revoked')).toMatchObject([{ keyId: successor.key.id }]);
});
