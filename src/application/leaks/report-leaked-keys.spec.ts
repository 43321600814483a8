import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf } from '../../../test/support/application/calls.js';
import { unknownKey } from '../../../test/support/callers/key-strings.js';

const HERE = { source: 'scanner', url: 'https://git.example/x' };

/** Its own store, to look at the accepted reports. */
function setUp() {
  const app = openFakes();
  let told = 0;
  app.reportLeakedKeys.whenReported(() => (told += 1));
  return { app, taken: () => [...app.store.leakReports.keys()], told: () => told };
}

describe('a report of leaked keys', () => {
  test('keeps what identifies and proves each key, whose it is, and where it stood; and tells that it came', async () => {
    const { app, taken, told } = setUp();
    const { key, fullKey } = await createKey(app, (await newOwner(app)).id);
    const from = client();
    await app.reportLeakedKeys.byAnybody({ texts: [`key=${fullKey}`, fullKey], ...HERE }, from);
    const { publicPart, digest } = key.snapshot();
    const kept = { keys: [{ publicPart, digest }], reporter: { actorId: null, client: from }, ...HERE };
    expect([taken(), told()]).toEqual([[kept], 1]);
    expect(JSON.stringify(taken())).not.toContain(fullKey.slice(28, 44));
  });

  test('is taken of a service under its name, each place by itself', async () => {
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

  test('looks nothing up: a good key, an unknown one and no key at all are taken alike', async () => {
    const { app, taken } = setUp();
    const { fullKey } = await createKey(app, (await newOwner(app)).id);
    app.keys.findByPublicParts = () => Promise.reject(new Error('looked up'));
    for (const text of [fullKey, unknownKey(), fullKey.slice(0, -1) + (fullKey.endsWith('0') ? '1' : '0'), 'hello']) {
      await app.reportLeakedKeys.byAnybody({ texts: [text], ...HERE }, client());
    }
    expect(taken().map(({ keys }) => keys.length)).toEqual([1, 1, 1, 0]);
  });

  test('is one of 60 an hour and network; one more is on record, and tells nobody', async () => {
    const { app, taken, told } = setUp();
    const report = (ip: string) => app.reportLeakedKeys.byAnybody({ texts: [], ...HERE }, client(ip));
    for (let sent = 0; sent < 60; sent += 1) await report(`2001:db8::${sent}`);
    expect(await outcomeOf(report('2001:db8::99'))).toBe('too_many_attempts');
    expect(await outcomeOf(report('2001:db8:0:1::1'))).toBe('ok');
    expect([taken().length, told()]).toEqual([61, 61]);
    expect(app.store.events).toMatchObject([
      { type: 'authentication.failed', reason: 'too-many-reports', ownerId: null, clientIp: '2001:db8::99' },
    ]);
  });

  test('is not taken while its refusal can’t be recorded', async () => {
    const { app } = setUp();
    const report = () => app.reportLeakedKeys.byAnybody({ texts: [], ...HERE }, client());
    for (let sent = 0; sent < 60; sent += 1) await report();
    app.store.isRecordAway = true;
    expect(await outcomeOf(report())).toBe('unavailable');
  });

  test('of a service has no budget', async () => {
    const { app, taken } = setUp();
    for (let sent = 0; sent < 61; sent += 1) {
      await app.reportLeakedKeys.byService([{ texts: [], ...HERE }], 'gitlab', client());
    }
    expect(taken()).toHaveLength(61);
  });
});
