import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { isLong, printFigures, shortOrLong } from '../../support/jest/long-form.js';
import { startService } from '../../support/processes/service.js';
import { GuardProcess } from './guard-process.js';

const LIMIT = { perSecond: 20, burst: 20 };
const LEASE_MS = 1000;
const GUARDS = shortOrLong(3, 10);
const SECONDS = shortOrLong(5, 60);
/** A hundred requests a second at each guard. */
const PACE_MS = 10;

test('guards together admit no more requests of a key under leases than its limit and one LEASE_MS allow', async () => {
  const service = await startService({
    RATE_LIMIT_PER_SECOND: String(LIMIT.perSecond),
    RATE_LIMIT_BURST: String(LIMIT.burst),
    LEASE_MS: String(LEASE_MS),
  });
  const options = { target: service.grpcTarget, leases: true, paceMs: PACE_MS, permissions: [''] };
  const guards = await Promise.all(Array.from({ length: GUARDS }, () => GuardProcess.start(options)));
  try {
    const { fullKey } = await (await service.person().signIn()).newKey();
    for (const guard of guards) guard.check([fullKey]);
    await pause(SECONDS * 1000);
    for (const guard of guards) guard.check([]);
    const decisions = guards.flatMap((guard) => guard.decisions);
    const startedAt = Math.min(...decisions.map((each) => each.startedAt));
    const seconds = (Math.max(...decisions.map(({ endedAt }) => endedAt)) - startedAt) / 1000;
    const admitted = decisions.filter(({ status }) => status === 200);
    const most = LIMIT.burst + LIMIT.perSecond * (seconds + LEASE_MS / 1000);
    const ofLeases = admitted.filter(({ isFromLease }) => isFromLease).length;
    const figures = {
      seconds: seconds.toFixed(1),
      most: Math.floor(most),
      least: Math.floor(0.95 * LIMIT.perSecond * seconds),
    };
    printFigures('one key at ten guards', {
      requests: decisions.length,
      admitted: admitted.length,
      ofLeases,
      ...figures,
    });
    expect(ofLeases).toBeGreaterThan(0);
    expect(admitted.length).toBeLessThanOrEqual(most);
    // What a busy machine can't deliver is no fault.
    if (isLong) expect(admitted.length).toBeGreaterThanOrEqual(figures.least);
  } finally {
    for (const guard of guards) await guard.stop();
    await service.stop();
  }
}, 300_000);
