import { expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { createKey, newOwner } from '#test/support/application/calls.js';
import { type ReportedUses, ReportUses } from './report-uses.js';

const LIMIT = { perSecond: 2, burst: 10 };

function opened() {
  const app = openFakes({ rateLimit: LIMIT });
  const clock = { ms: 0 };
  const noted: unknown[] = [];
  const usage = { ...app.usage, noteLeased: (uses: unknown) => void noted.push(uses) };
  const parts = { ...app, usage, keyPrefix: 'lk', importPrefixes: [] };
  const reporting = new ReportUses(parts, () => clock.ms);
  const report = (credential: string | undefined, count: number, lastMsAgo = 0, part: Partial<ReportedUses> = {}) =>
    reporting.execute(
      [{ credential, clientIp: '192.0.2.9', count, lastMsAgo, permission: null, operation: 'read', ...part }],
      'billing',
    );
  return { app, clock, noted, reporting, report };
}

test('Uses count for the key that the reporter shows, as of when they were', async () => {
  const { app, noted, report, reporting } = opened();
  const { fullKey, key } = await createKey(app, (await newOwner(app)).id);
  await report(fullKey, 3, 400);
  await report(fullKey, 1, 4_000_000_000);
  const now = app.store.now().getTime();
  const uses = { keyId: key.id, clientIp: '192.0.2.9', service: 'billing', used: 'unknown' };
  expect(noted).toEqual([
    { ...uses, count: 3, at: new Date(now - 400) },
    { ...uses, count: 1, at: new Date(now - 10_000) },
  ]);
  expect(reporting.counts).toEqual({ reported: 4, dropped: 0 });
});

test('Uses count for a permission of the key only, and for the operation where none was needed', async () => {
  const { app, noted, report } = opened();
  const { id } = await newOwner(app, { permissions: ['systems:read'] });
  const { fullKey } = await createKey(app, id);
  for (const permission of ['systems:read', 'systems/1:read', 'made:up', '', null])
    await report(fullKey, 1, 0, { permission });
  await report(fullKey, 1, 0, { permission: '', operation: undefined });
  const used = ['systems:read', 'unknown', 'unknown', 'read', 'unknown', 'unknown'];
  expect(noted).toMatchObject(used.map((each) => ({ used: each })));
});

test('Uses of a credential that proves no key are dropped and counted', async () => {
  const { app, noted, report, reporting } = opened();
  const { fullKey } = await createKey(app, (await newOwner(app)).id);
  const { fullKey: other } = await createKey(app, (await newOwner(app)).id);
  const [own, stranger] = [fullKey.split('.'), other.split('.')];
  for (const credential of [undefined, 'lk_nonsense', `${own[0]}.${stranger[1]}`]) await report(credential, 5);
  expect([noted, reporting.counts]).toEqual([[], { reported: 0, dropped: 15 }]);
});

test('In any 3 s, a key gets no more uses than its burst and 4 s of its rate', async () => {
  const { app, noted, report, reporting, clock } = opened();
  const { fullKey } = await createKey(app, (await newOwner(app)).id);
  for (; clock.ms <= 3000; clock.ms += 100) await report(fullKey, 4_294_967_295);
  const counted = noted.reduce<number>((sum, uses) => sum + (uses as { count: number }).count, 0);
  expect(counted).toBe(LIMIT.burst + 4 * LIMIT.perSecond);
  expect(reporting.counts.reported).toBe(counted);
  clock.ms += 60_000;
  await report(fullKey, 7);
  expect(noted.at(-1)).toMatchObject({ count: 7 });
});

test('A burst that the limit admitted is counted whole, for each key by itself', async () => {
  const { app, noted, report } = opened();
  const keys = [await createKey(app, (await newOwner(app)).id), await createKey(app, (await newOwner(app)).id)];
  for (const { fullKey } of keys) await report(fullKey, LIMIT.burst + LIMIT.perSecond);
  expect(noted).toMatchObject([{ count: 12 }, { count: 12 }]);
});
