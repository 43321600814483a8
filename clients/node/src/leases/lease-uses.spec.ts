import { expect, test } from '@jest/globals';
import { LeaseUses } from './lease-uses.js';

const used = (uses: LeaseUses, nowMs = 0) =>
  uses.take(nowMs).map((portion) => portion.map(({ keyId, clientIp, count }) => `${keyId} ${clientIp}: ${count}`));

test('uses are counted by key and address, with the time since the last one', () => {
  const uses = new LeaseUses();
  const first = uses.add('k1', '192.0.2.1', 100, undefined);
  uses.add('k1', '192.0.2.1', 200, first);
  uses.add('k2', '192.0.2.1', 300, undefined);
  expect(uses.take(1000.4)).toEqual([
    [
      { keyId: 'k1', clientIp: '192.0.2.1', count: 2, lastMsAgo: 800 },
      { keyId: 'k2', clientIp: '192.0.2.1', count: 1, lastMsAgo: 700 },
    ],
  ]);
});

test('each use is reported once', () => {
  const uses = new LeaseUses();
  const first = uses.add('k1', '', 0, undefined);
  used(uses);
  expect([uses.isEmpty, used(uses)]).toEqual([true, []]);
  uses.add('k1', '', 0, first);
  expect(used(uses)).toEqual([['k1 : 1']]);
});

test('a limited number of addresses is remembered, and no text that is too long for one', () => {
  const uses = new LeaseUses(2);
  for (const clientIp of ['::1', '::2', '::3', '::4', '::1']) uses.add('k1', clientIp, 0, undefined);
  uses.add('k2', '1'.repeat(65), 0, undefined);
  expect(used(uses)).toEqual([['k1 ::1: 2', 'k1 ::2: 1', 'k1 : 2', 'k2 : 1']]);
});

test('a report is cut into portions', () => {
  const uses = new LeaseUses();
  for (let n = 0; n < 300; n += 1) uses.add(`k${n}`, '', 0, undefined);
  expect(uses.take(0).map(({ length }) => length)).toEqual([256, 44]);
});
