import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, times } from '#test/support/application/calls.js';
import { unknownKey } from '#test/support/callers/key-strings.js';

const HERE = { source: 'scanner', url: 'https://git.example/x' };

/** Its own store, to look at the accepted reports. */
function setUp() {
  const app = openFakes();
  let notified = 0;
  app.reportLeakedKeys.whenReported(() => (notified += 1));
  return {
    app,
    taken: () => [...app.store.leakReports.values()].map(({ report }) => report),
    notified: () => notified,
  };
}

describe('ReportLeakedKeys', () => {
  test('stores only proofs, reporter and place, and notifies the listener', async () => {
    const { app, taken, notified } = setUp();
    const { key, fullKey } = await createKey(app, (await newOwner(app)).id);
    const from = client();
    await app.reportLeakedKeys.byAnybody({ texts: [`key=${fullKey}`, fullKey], ...HERE }, from);
    const { publicPart, digest } = key.snapshot();
    const kept = { keys: [{ publicPart, digest }], reporter: { actorId: null, client: from }, ...HERE };
    expect([taken(), notified()]).toEqual([[kept], 1]);
    expect(JSON.stringify(taken())).not.toContain(fullKey.slice(28, 44));
  });

  test('stores each report of a service separately, under its name', async () => {
    const { app, taken } = setUp();
    const leaks = [
      { texts: [unknownKey()], source: 'gitlab', url: 'https://git.example/1' },
      { texts: [unknownKey()], source: 'gitlab', url: null },
    ];
    await app.reportLeakedKeys.byService(leaks, 'gitlab', client());
    expect(taken()).toMatchObject([
      { reporter: { actorId: 'service:gitlab' }, url: 'https://git.example/1', keys: { length: 1 } },
      { reporter: { actorId: 'service:gitlab' }, url: null, keys: { length: 1 } },
    ]);
  });

  test('looks up no keys, so that an active key, an unknown key and no key get the same answer', async () => {
    const { app, taken } = setUp();
    const { fullKey } = await createKey(app, (await newOwner(app)).id);
    app.keys.findByPublicParts = () => Promise.reject(new Error('looked up'));
    for (const text of [fullKey, unknownKey(), fullKey.slice(0, -1) + (fullKey.endsWith('0') ? '1' : '0'), 'hello']) {
      await app.reportLeakedKeys.byAnybody({ texts: [text], ...HERE }, client());
    }
    expect(taken().map(({ keys }) => keys.length)).toEqual([1, 1, 1, 0]);
  });

  test('accepts 60 anonymous reports an hour from a network, and records the next one without a notification', async () => {
    const { app, taken, notified } = setUp();
    const report = (ip: string) => app.reportLeakedKeys.byAnybody({ texts: [], ...HERE }, client(ip));
    for (let sent = 0; sent < 60; sent += 1) await report(`2001:db8::${sent}`);
    expect(await outcomeOf(report('2001:db8::99'))).toBe('too_many_attempts');
    expect(await outcomeOf(report('2001:db8:0:1::1'))).toBe('ok');
    expect([taken().length, notified()]).toEqual([61, 61]);
    expect(app.store.events).toMatchObject([
      { type: 'authentication.failed', reason: 'too-many-reports', ownerId: null, clientIp: '2001:db8::99' },
    ]);
  });

  test('throws when it can’t record a refusal', async () => {
    const { app } = setUp();
    const report = () => app.reportLeakedKeys.byAnybody({ texts: [], ...HERE }, client());
    for (let sent = 0; sent < 60; sent += 1) await report();
    app.store.isAuditTrailAway = true;
    expect(await outcomeOf(report())).toBe('unavailable');
  });

  test('accepts 20,000 texts of a service at once, and records the next list without a notification', async () => {
    const { app, taken, notified } = setUp();
    const from = client();
    const list = [
      { texts: times(1500, () => 'hello'), ...HERE },
      { texts: times(500, () => 'hello'), ...HERE },
    ];
    const report = (leaks = list) => app.reportLeakedKeys.byService(leaks, 'gitlab', from);
    for (let sent = 0; sent < 10; sent += 1) await report();
    expect(await outcomeOf(report([{ texts: ['hello'], ...HERE }]))).toBe('too_many_attempts');
    expect([taken().length, notified()]).toEqual([20, 10]);
    expect(app.store.events).toMatchObject([{ reason: 'too-many-reports', requestId: from.requestId }]);
    expect(await outcomeOf(app.reportLeakedKeys.byService(list, 'another-gitlab', from))).toBe('ok');
  });

  test('gives other work a turn while it searches a long list, even of one place', async () => {
    const { app } = setUp();
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
