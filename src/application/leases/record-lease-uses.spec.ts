import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { DAY_MS } from '../../domain/time.js';
import type { LeasedUses } from '../ports.js';
import { RecordLeaseUses } from './record-lease-uses.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const KEY = randomUUID();
const USES = { keyId: KEY, clientIp: '192.0.2.1', count: 3, lastMsAgo: 500 };

function noting() {
  const noted: LeasedUses[] = [];
  const usage = { noteLeased: (uses: LeasedUses) => noted.push(uses) } as never;
  return { noted, recordLeaseUses: new RecordLeaseUses(usage, { now: () => NOW }) };
}

test('uses are noted with the service that reports them, at the time of the last one', () => {
  const { noted, recordLeaseUses } = noting();
  recordLeaseUses.execute([USES, { ...USES, clientIp: null, count: 2, lastMsAgo: 0 }], 'billing');
  expect(noted).toEqual([
    { keyId: KEY, clientIp: '192.0.2.1', service: 'billing', count: 3, at: new Date(NOW.getTime() - 500) },
    { keyId: KEY, clientIp: null, service: 'billing', count: 2, at: NOW },
  ]);
  expect(recordLeaseUses.spent).toBe(5);
});

test('what cannot be stored is left out or bounded', () => {
  const { noted, recordLeaseUses } = noting();
  const wrong = [{ keyId: 'k,1' }, { keyId: KEY.toUpperCase() }, { count: 0 }, { count: NaN }];
  recordLeaseUses.execute(
    wrong.map((each) => ({ ...USES, ...each })),
    'billing',
  );
  expect([noted, recordLeaseUses.spent]).toEqual([[], 0]);
  recordLeaseUses.execute([{ ...USES, count: 2 ** 64, lastMsAgo: 2 ** 64 }], 'billing');
  expect(noted).toMatchObject([{ count: 2 ** 32 - 1, at: new Date(NOW.getTime() - DAY_MS) }]);
});
