import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EndReportedKeys } from '#application/leaks/end-reported-keys.js';
import { RevokeKeys } from '#application/keys/revoke-keys.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import { LatchkeyError } from '#domain/errors.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  runOut,
  themselves,
  times,
} from '#test/support/application/application.js';
import { unknownKey, withWrongSecret } from '#test/support/callers/key-strings.js';
import { openHeldDatabase } from '#test/contracts/support/postgres-world.js';

const HERE = { source: 'scanner', url: 'https://git.example/x' };
const TABLES = 'leak_reports, leak_report_budgets, audit_events, sessions, api_keys, accounts';

let database: Awaited<ReturnType<typeof openHeldDatabase>>;
let app: Awaited<ReturnType<typeof database.start>>;
beforeAll(async () => {
  database = await openHeldDatabase();
});
beforeEach(async () => {
  app = await database.start({});
});
afterEach(async () => {
  await app.sql(
    `BEGIN; SET LOCAL session_replication_role = replica; TRUNCATE ${TABLES} CASCADE;
     DROP FUNCTION IF EXISTS refuse_failures CASCADE; COMMIT`,
  );
  await app.close();
});
afterAll(() => database?.drop());

/** The events of an owner, or of everybody, whose types begin with this. */
async function eventsOf(ownerId: string | undefined, type = ''): Promise<SealableEvent[]> {
  const found: SealableEvent[] = [];
  for await (const event of app.auditTrail.events({})) {
    if (event.ownerId === (ownerId ?? event.ownerId) && event.type.startsWith(type)) found.push(event);
  }
  return found;
}
const failures = () => eventsOf(undefined, 'authentication.failed');

/** Makes failures impossible to record. */
const refuseFailures = () =>
  app.sql(
    `CREATE FUNCTION refuse_failures() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'refused'; END$$;
     CREATE TRIGGER refuse_failures BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse_failures()`,
  );

describe('EndReportedKeys', () => {
  const READ = { operation: 'read', permission: '' } as const;

  function setUp() {
    const from = client('198.51.100.7');
    return {
      from,
      report: (...texts: string[]) => app.reportLeakedKeys.byAnybody({ texts, ...HERE }, from),
      newKey: async () => createKey(app, (await newOwner(app)).id),
      isGood: async (key: string) =>
        (await app.validateKey.execute({ credential: key, question: READ, client: client() })).verdict.granted,
      waiting: async () => (await app.sql('SELECT FROM leak_reports')).length,
    };
  }

  test('ends the keys that a report proves, as leaked, with the reporter and the place', async () => {
    const { from, report, newKey, isGood, waiting } = setUp();
    const [one, other] = [await newKey(), await newKey()];
    await report(one.fullKey);
    const leak = { texts: [`token ${other.fullKey}`], source: 'gitlab', url: null };
    await app.reportLeakedKeys.byService([leak], 'gitlab', from);
    expect(await app.endReportedKeys.execute()).toBe(2);
    expect([await isGood(one.fullKey), await isGood(other.fullKey), await waiting()]).toEqual([false, false, 0]);
    const ended = ({ key }: typeof one) => eventsOf(key.ownerId, 'api_key.revoked');
    const { ip: clientIp, requestId } = from;
    expect(await ended(one)).toMatchObject([
      { reason: 'leaked', actorId: null, clientIp, requestId, details: JSON.stringify(HERE) },
    ]);
    expect(await ended(other)).toMatchObject([
      { reason: 'leaked', actorId: 'service:gitlab', details: '{"source":"gitlab","url":null,"actorKind":"service"}' },
    ]);
    const { items } = await app.audit.list(one.key.ownerId, { types: ['api_key.revoked'] }, { limit: 5 });
    expect(items).toMatchObject([{ reason: 'leaked', leak: HERE }]);
  });

  test('changes nothing for keys that have already ended', async () => {
    const { report, newKey } = setUp();
    const [revoked, expired] = [await newKey(), await newKey()];
    await app.changeKeysOfOwner.revoke(themselves(revoked.key.ownerId), revoked.key.id, client());
    await runOut(app, expired.key.id);
    await report(revoked.fullKey, expired.fullKey, revoked.fullKey);
    await report(revoked.fullKey);
    expect(await app.endReportedKeys.execute()).toBe(0);
    expect(await eventsOf(revoked.key.ownerId, 'api_key.revoked')).toMatchObject([{ reason: 'owner' }]);
    expect((await eventsOf(expired.key.ownerId, 'api_key.')).map(({ type }) => type)).toEqual([
      'api_key.created',
      'api_key.expired',
    ]);
    expect(await failures()).toEqual([]);
  });

  test('ends nothing without the secret, and records a failure with the named key', async () => {
    const { report, newKey, isGood } = setUp();
    const { key, fullKey } = await newKey();
    const wrongChecksum = fullKey.slice(0, -1) + (fullKey.endsWith('0') ? '1' : '0');
    await report(withWrongSecret(fullKey), withWrongSecret(fullKey), wrongChecksum);
    await app.endReportedKeys.execute();
    expect(await isGood(fullKey)).toBe(true);
    const { publicPart } = key.snapshot();
    expect(await failures()).toMatchObject([
      { reason: 'unproven-report', ownerId: key.ownerId, keyId: key.id, publicPart, count: 1 },
    ]);
  });

  test.each([
    ['an unknown key', [unknownKey()], expect.stringMatching(/^[0-9a-f]{24}$/)],
    ['a hundred unknown keys', times(100, () => unknownKey()), null],
    ['no key', ['hello'], null],
    ['nothing', [], null],
  ])('records one failure without an owner for a report of %s', async (_what, texts, publicPart) => {
    const { from, report, waiting } = setUp();
    await report(...texts);
    expect(await app.endReportedKeys.execute()).toBe(0);
    expect(await failures()).toMatchObject([
      { reason: 'unproven-report', ownerId: null, keyId: null, publicPart, clientIp: from.ip, count: 1 },
    ]);
    expect(await waiting()).toBe(0);
  });

  test('continues until no report is left', async () => {
    const { report, waiting } = setUp();
    for (let sent = 0; sent < 60; sent += 1) await report('hello');
    const leaks = times(60, () => ({ texts: ['hello'], ...HERE }));
    await app.reportLeakedKeys.byService(leaks, 'gitlab', client());
    await app.endReportedKeys.execute();
    expect(await waiting()).toBe(0);
  });

  /** Makes the account's keys impossible to end, until the returned function is called. */
  function lock(accountId: string): () => void {
    const { transaction } = app.accounts;
    app.accounts.transaction = (id, work) =>
      id === accountId
        ? Promise.reject(new LatchkeyError('unavailable', 'away'))
        : transaction.bind(app.accounts)(id, work);
    return () => (app.accounts.transaction = transaction);
  }

  test('keeps a report whose key it can’t end now, ends the others, and rejects with the reason', async () => {
    const { report, newKey, isGood, waiting } = setUp();
    const [stuck, other] = [await newKey(), await newKey()];
    const unlock = lock(stuck.key.ownerId);
    await report(stuck.fullKey);
    await report(other.fullKey);
    expect(await outcomeOf(app.endReportedKeys.execute())).toBe('unavailable');
    expect([await isGood(stuck.fullKey), await isGood(other.fullKey), await waiting()]).toEqual([true, false, 1]);
    unlock();
    expect(await app.endReportedKeys.execute()).toBe(0);
    await database.pass(1000);
    expect(await app.endReportedKeys.execute()).toBe(1);
    expect([await isGood(stuck.fullKey), await waiting()]).toEqual([false, 0]);
  });

  test('ends the other keys of a report with a key that it can’t end now, and keeps only that one', async () => {
    const { report, newKey, isGood } = setUp();
    const [stuck, other] = [await newKey(), await newKey()];
    const unlock = lock(stuck.key.ownerId);
    await report(stuck.fullKey, unknownKey(), other.fullKey);
    expect(await outcomeOf(app.endReportedKeys.execute())).toBe('unavailable');
    const { publicPart, digest } = stuck.key.snapshot();
    const left = await app.sql('SELECT public_parts, digests FROM leak_reports');
    expect([await isGood(other.fullKey), left]).toEqual([false, [{ public_parts: [publicPart], digests: [digest] }]]);
    unlock();
    await database.pass(1000);
    await app.endReportedKeys.execute();
    expect(await failures()).toMatchObject([{ reason: 'unproven-report' }, { reason: 'revoked', keyId: other.key.id }]);
    expect(await isGood(stuck.fullKey)).toBe(false);
  });

  test('ends no further key of a report after two seconds, and continues with it in another turn', async () => {
    const { report, newKey, waiting } = setUp();
    const keys = [await newKey(), await newKey(), await newKey()];
    let nowMs = 0;
    const { found } = RevokeKeys.prototype;
    const slow = Object.assign(new RevokeKeys(app.accounts, app.keys, []), {
      found: (...call: Parameters<typeof found>) => {
        nowMs += 1000;
        return found.apply(slow, call);
      },
    });
    const claims: number[] = [];
    const claim = app.leakReports.claim.bind(app.leakReports);
    app.leakReports.claim = async (limit) => {
      const claimed = await claim(limit);
      claims.push(...claimed.map(({ report: { keys: left } }) => left.length));
      return claimed;
    };
    await report(...keys.map(({ fullKey }) => fullKey));
    expect(await new EndReportedKeys(app.leakReports, slow, app.audit, () => nowMs).execute()).toBe(3);
    expect([claims, await waiting()]).toEqual([[3, 1], 0]);
  });

  test('leaves the rest of a report to other instances when it stops', async () => {
    const { report, newKey } = setUp();
    const keys = [await newKey(), await newKey()];
    const { transaction } = app.accounts;
    app.accounts.transaction = (id, work) => {
      app.endReportedKeys.stop();
      return transaction.bind(app.accounts)(id, work);
    };
    await report(...keys.map(({ fullKey }) => fullKey));
    expect(await app.endReportedKeys.execute()).toBe(1);
    expect(await app.endReportedKeys.execute()).toBe(0);
    expect(await app.leakReports.claim(5)).toMatchObject([{ report: { keys: { length: 1 } } }]);
  });

  test('keeps reports whose failures can’t be recorded', async () => {
    const { report, waiting } = setUp();
    await report('hello');
    await refuseFailures();
    expect(await outcomeOf(app.endReportedKeys.execute())).toBe('unavailable');
    expect(await waiting()).toBe(1);
  });

  test('rejects when it can’t claim reports', async () => {
    app.leakReports.claim = () => Promise.reject(new LatchkeyError('unavailable', 'away'));
    expect(await outcomeOf(app.endReportedKeys.execute())).toBe('unavailable');
  });
});

describe('ReportLeakedKeys', () => {
  function setUp() {
    let notified = 0;
    app.reportLeakedKeys.whenReported(() => (notified += 1));
    return {
      taken: async () => (await app.leakReports.claim(1000)).map(({ report }) => report),
      notified: () => notified,
    };
  }

  test('stores only proofs, reporter and place, and notifies the listener', async () => {
    const { taken, notified } = setUp();
    const { key, fullKey } = await createKey(app, (await newOwner(app)).id);
    const from = client();
    await app.reportLeakedKeys.byAnybody({ texts: [`key=${fullKey}`, fullKey], ...HERE }, from);
    const { publicPart, digest } = key.snapshot();
    const kept = { keys: [{ publicPart, digest }], reporter: { actorId: null, client: from }, ...HERE };
    const reports = await taken();
    expect([reports, notified()]).toEqual([[kept], 1]);
    expect(JSON.stringify(reports)).not.toContain(fullKey.slice(28, 44));
  });

  test('stores each report of a service separately, under its name', async () => {
    const { taken } = setUp();
    const leaks = [
      { texts: [unknownKey()], source: 'gitlab', url: 'https://git.example/1' },
      { texts: [unknownKey()], source: 'gitlab', url: null },
    ];
    await app.reportLeakedKeys.byService(leaks, 'gitlab', client());
    expect(await taken()).toMatchObject([
      { reporter: { actorId: 'service:gitlab' }, url: 'https://git.example/1', keys: { length: 1 } },
      { reporter: { actorId: 'service:gitlab' }, url: null, keys: { length: 1 } },
    ]);
  });

  test('looks up no keys, so that an active key, an unknown key and no key get the same answer', async () => {
    const { taken } = setUp();
    const { fullKey } = await createKey(app, (await newOwner(app)).id);
    app.keys.findByPublicParts = () => Promise.reject(new Error('looked up'));
    for (const text of [fullKey, unknownKey(), fullKey.slice(0, -1) + (fullKey.endsWith('0') ? '1' : '0'), 'hello']) {
      await app.reportLeakedKeys.byAnybody({ texts: [text], ...HERE }, client());
    }
    expect((await taken()).map(({ keys }) => keys.length)).toEqual([1, 1, 1, 0]);
  });

  test('accepts 60 anonymous reports an hour from a network, and records the next one without a notification', async () => {
    const { taken, notified } = setUp();
    const report = (ip: string) => app.reportLeakedKeys.byAnybody({ texts: [], ...HERE }, client(ip));
    for (let sent = 0; sent < 60; sent += 1) await report(`2001:db8::${sent}`);
    expect(await outcomeOf(report('2001:db8::99'))).toBe('too_many_attempts');
    expect(await outcomeOf(report('2001:db8:0:1::1'))).toBe('ok');
    expect([(await taken()).length, notified()]).toEqual([61, 61]);
    expect(await failures()).toMatchObject([
      { type: 'authentication.failed', reason: 'too-many-reports', ownerId: null, clientIp: '2001:db8::99' },
    ]);
  });

  test('throws when it can’t record a refusal', async () => {
    const report = () => app.reportLeakedKeys.byAnybody({ texts: [], ...HERE }, client());
    for (let sent = 0; sent < 60; sent += 1) await report();
    await refuseFailures();
    expect(await outcomeOf(report())).toBe('unavailable');
  });

  test('accepts 20,000 texts of a service at once, and records the next list without a notification', async () => {
    const { taken, notified } = setUp();
    const from = client();
    const list = [
      { texts: times(1500, () => 'hello'), ...HERE },
      { texts: times(500, () => 'hello'), ...HERE },
    ];
    const report = (leaks = list) => app.reportLeakedKeys.byService(leaks, 'gitlab', from);
    for (let sent = 0; sent < 10; sent += 1) await report();
    expect(await outcomeOf(report([{ texts: ['hello'], ...HERE }]))).toBe('too_many_attempts');
    expect([(await taken()).length, notified()]).toEqual([20, 10]);
    expect(await failures()).toMatchObject([{ reason: 'too-many-reports', requestId: from.requestId }]);
    expect(await outcomeOf(app.reportLeakedKeys.byService(list, 'another-gitlab', from))).toBe('ok');
  });

  test('gives other work a turn while it searches a long list, even of one place', async () => {
    let isAccepted = false;
    // As many characters as a list may have: 2,000 entries of 512.
    const leak = { texts: times(2000, () => 'x'.repeat(512)), ...HERE };
    const accepted = app.reportLeakedKeys.byService([leak], 'gitlab', client()).then(() => (isAccepted = true));
    let turns = 0;
    for (; !isAccepted; turns += 1) await new Promise(setImmediate);
    await accepted;
    expect(turns).toBeGreaterThan(100);
  });
});
