import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { until } from '../../scripts/lib/wait.mjs';
import type { RateDecision, RateLimit } from '#domain/rate-limit.js';
import { admittedOf, chargeTogether, newKey, undisturbed, type Subject } from './limited.js';

/** What every rate limiter guarantees, wherever it counts. */
export function describeRateLimiter(name: string, open: (limit: RateLimit) => Promise<Subject>): void {
  describe(name, () => {
    /** One request an hour: none is regained during a test, however slow the machine is. */
    const slow = { perSecond: 1 / 3600, burst: 5 };
    const hourMicros = 3_600_000_000;

    test('admits the burst and then refuses, with the remaining requests and the wait', async () => {
      const subject = await open(slow);
      const decisions = await undisturbed([subject], async (keyId) => {
        const charged: RateDecision[] = [];
        for (let n = 0; n < 8; n += 1) charged.push(await subject.charge(keyId));
        return charged;
      });
      const reported = decisions.map(({ admitted, limit, remaining }) => [admitted, limit.burst, remaining]);
      expect(reported).toEqual([
        [true, 5, 4],
        [true, 5, 3],
        [true, 5, 2],
        [true, 5, 1],
        [true, 5, 0],
        [false, 5, 0],
        [false, 5, 0],
        [false, 5, 0],
      ]);
      decisions.forEach(({ admitted, resetAfterMicros, retryAfterMicros }, n) => {
        const used = Math.min(5, n + 1);
        expect(resetAfterMicros).toBeGreaterThan((used - 1) * hourMicros);
        expect(resetAfterMicros).toBeLessThanOrEqual(used * hourMicros);
        if (admitted) expect(retryAfterMicros).toBe(0);
        else expect(retryAfterMicros).toBe(resetAfterMicros - 4 * hourMicros);
      });
    });

    test('admits again after the announced wait, and not before', async () => {
      const subject = await open({ perSecond: 10, burst: 2 });
      await undisturbed([subject], async (keyId) => {
        await chargeTogether(subject, keyId, 2);
        // On a busy machine, the limit may have recovered until the third charge comes.
        let calledAt: number;
        let decision: RateDecision;
        do {
          calledAt = performance.now();
          decision = await subject.charge(keyId);
        } while (decision.admitted);
        const { retryAfterMicros } = decision;
        expect(await until(async () => (await subject.charge(keyId)).admitted, 5000, 1)).toBe(true);
        expect(performance.now() - calledAt).toBeGreaterThanOrEqual(retryAfterMicros / 1000 - 0.01);
      });
    });

    test('is full again after a rest', async () => {
      const subject = await open({ perSecond: 50, burst: 3 });
      await undisturbed([subject], async (keyId) => {
        const fullAt = Math.max(...(await chargeTogether(subject, keyId, 5)).map((d) => d.resetAfterMicros));
        const fullFrom = performance.now() + fullAt / 1000;
        expect(await until(() => performance.now() >= fullFrom, 5000, 1)).toBe(true);
        expect(await subject.charge(keyId)).toMatchObject({ admitted: true, remaining: 2 });
      });
    });

    test('keeps the used requests used when the limit of a key changes, down and up', async () => {
      const subject = await open(slow);
      const remainingAt = async (keyId: string, ...limits: RateLimit[]) => {
        const remaining: number[] = [];
        for (const limit of limits) remaining.push((await subject.charge(keyId, limit)).remaining);
        return remaining;
      };
      const fast = { perSecond: 1000, burst: 9 };
      const hourly = { ...slow, burst: 6 };
      await undisturbed([subject], async (keyId) => {
        // Nothing is regained while the rate is one an hour. The other limits charge one request each.
        expect(await remainingAt(keyId, hourly, hourly, { ...hourly, burst: 4 }, hourly)).toEqual([5, 4, 1, 2]);
        await chargeTogether(subject, keyId, 5);
        expect(await subject.charge(keyId, { ...hourly, burst: 3 })).toMatchObject({ admitted: false, remaining: 0 });
      });
      await undisturbed([subject], async (keyId) => {
        const before = (await chargeTogether(subject, keyId, 9)).length;
        await chargeTogether(subject, newKey(), before);
        // 5 of 5 are used. A burst of 9 leaves 4 more, and the faster rate refills it.
        expect(await subject.charge(keyId, { ...hourly, burst: 9 })).toMatchObject({ admitted: true });
        expect(await until(async () => (await subject.charge(keyId, fast)).remaining === 8, 5000, 1)).toBe(true);
      });
    });

    test('charges the uses of a lease with the request, at most half of what is left', async () => {
      const subject = await open(slow);
      const charged = async (keyId: string, ahead?: number) => {
        const { admitted, remaining, usesAhead } = await subject.charge(keyId, slow, ahead);
        return [admitted, remaining, usesAhead];
      };
      await undisturbed([subject], async (keyId) => {
        expect(await charged(keyId, 1)).toEqual([true, 4, 1]);
        expect(await charged(keyId, 4_294_967_295)).toEqual([true, 2, 1]);
        expect(await charged(keyId, 100)).toEqual([true, 0, 0]);
        expect(await charged(keyId, 100)).toEqual([false, 0, 0]);
      });
      await undisturbed([subject], async (keyId) => {
        const together = await Promise.all([charged(keyId, 9), charged(newKey()), charged(keyId), charged(keyId, 1)]);
        expect(together).toEqual([
          [true, 4, 2],
          [true, 4, undefined],
          [true, 1, undefined],
          [true, 0, 0],
        ]);
      });
    });

    test('limits each key separately', async () => {
      const subject = await open(slow);
      await undisturbed([subject], async (keyId) => {
        await chargeTogether(subject, keyId, 10);
        expect(await subject.charge(newKey())).toMatchObject({ admitted: true, remaining: 4 });
        expect(await subject.charge(keyId)).toMatchObject({ admitted: false });
      });
    });

    test('admits the burst of 200 concurrent requests, and only what the time allows beyond it', async () => {
      const limit = { perSecond: 20, burst: 50 };
      const subject = await open(limit);
      await undisturbed([subject], async (keyId) => {
        const start = performance.now();
        const admitted = admittedOf(await chargeTogether(subject, keyId, 200));
        const seconds = (performance.now() - start) / 1000;
        expect(admitted).toBeGreaterThanOrEqual(limit.burst);
        expect(admitted).toBeLessThanOrEqual(limit.burst + limit.perSecond * seconds);
      });
    });

    test('never admits more than burst + rate × time, for any crowds and pauses', async () => {
      const limit = { perSecond: 100, burst: 7 };
      const subject = await open(limit);
      await undisturbed([subject], async (keyId) => {
        const start = performance.now();
        let admitted = 0;
        for (const [crowd, pauseMs] of [
          [1, 0],
          [20, 30],
          [3, 0],
          [40, 100],
          [2, 5],
          [2, 5],
          [60, 0],
        ] as const) {
          admitted += admittedOf(await chargeTogether(subject, keyId, crowd));
          const seconds = (performance.now() - start) / 1000;
          expect(admitted).toBeLessThanOrEqual(limit.burst + limit.perSecond * seconds);
          if (pauseMs) await sleep(pauseMs);
        }
        expect(admitted).toBeGreaterThanOrEqual(limit.burst + 10);
      });
    });
  });
}
