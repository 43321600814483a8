import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  convertTat,
  emissionIntervalMicros,
  gcra,
  rateLimitWindowSeconds,
  type RateDecision,
  type RateLimit,
  type StoredCharge,
} from './rate-limit.js';

const limits = fc.record({
  perSecond: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 1_000_000 })),
  burst: fc.integer({ min: 1, max: 40 }),
});
const starts = fc.nat({ max: 2 ** 50 });
/** Pauses between requests in microseconds: none, short, about the interval, long. */
const pauses = fc.array(
  fc.oneof(fc.constant(0), fc.nat({ max: 1000 }), fc.nat({ max: 2_000_000 }), fc.nat({ max: 60_000_000 })),
  { maxLength: 200 },
);

/** One key, charged at given times. */
class Bucket {
  private tat: number | undefined;
  constructor(private readonly limit: RateLimit) {}

  charge(now: number): RateDecision {
    const { tat, decision } = gcra(this.limit, this.tat, now);
    this.tat = tat;
    return decision;
  }

  copy(): Bucket {
    const copy = new Bucket(this.limit);
    copy.tat = this.tat;
    return copy;
  }

  /** How many requests would be admitted if they were sent at once. */
  admissible(now: number): number {
    const copy = this.copy();
    let admitted = 0;
    while (copy.charge(now).admitted) admitted += 1;
    return admitted;
  }
}

function moments(start: number, gaps: readonly number[]): number[] {
  let now = start;
  return [start, ...gaps.map((gap) => (now += gap))];
}

/** One key, whose limit may change at any time. */
class ChangingBucket {
  private stored: StoredCharge | undefined;

  charge(limit: RateLimit, now: number): RateDecision {
    const intervalMicros = emissionIntervalMicros(limit);
    const { tat, decision } = gcra(limit, this.stored && convertTat(this.stored, intervalMicros, now), now);
    this.stored = { tat, intervalMicros };
    return decision;
  }
}

describe('GCRA under a limit that changes', () => {
  test('keeps the used requests of the burst used, whatever rate and burst follow', () => {
    fc.assert(
      fc.property(limits, limits, starts, fc.nat({ max: 50 }), (before, after, now, sent) => {
        const bucket = new ChangingBucket();
        const used = Array.from({ length: sent }, () => bucket.charge(before, now)).filter(
          (each) => each.admitted,
        ).length;
        let left = 0;
        while (bucket.charge(after, now).admitted) left += 1;
        expect(left).toBe(Math.max(0, after.burst - used));
      }),
    );
  });

  test('never admits more than the new burst and rate allow from the change on', () => {
    fc.assert(
      fc.property(limits, limits, starts, pauses, pauses, (before, after, start, gaps, laterGaps) => {
        const bucket = new ChangingBucket();
        const changedAt = moments(start, gaps).reduce((_, now) => (bucket.charge(before, now), now), start);
        const admitted = moments(changedAt, laterGaps).filter((now) => bucket.charge(after, now).admitted);
        admitted.forEach((now, n) => {
          expect(n + 1).toBeLessThanOrEqual(after.burst + (after.perSecond * (now - changedAt)) / 1_000_000);
        });
      }),
    );
  });

  test('reaches the whole new burst after the time that it reports', () => {
    const bucket = new ChangingBucket();
    for (let n = 0; n < 10; n += 1) bucket.charge({ perSecond: 10, burst: 10 }, 0);
    const slow = { perSecond: 1, burst: 4 };
    const refused = bucket.charge(slow, 0);
    expect(refused).toEqual({
      admitted: false,
      limit: slow,
      remaining: 0,
      resetAfterMicros: 4_000_000,
      retryAfterMicros: 1_000_000,
    });
    expect(bucket.charge(slow, 4_000_000)).toMatchObject({ admitted: true, remaining: 3 });
  });
});

describe('GCRA', () => {
  test('never admits more than burst + rate × time, for any pattern of arrivals', () => {
    fc.assert(
      fc.property(limits, starts, pauses, (limit, start, gaps) => {
        const bucket = new Bucket(limit);
        const admitted = moments(start, gaps).filter((now) => bucket.charge(now).admitted);
        for (let from = 0; from < admitted.length; from += 1) {
          for (let to = from; to < admitted.length; to += 1) {
            const seconds = (admitted[to]! - admitted[from]!) / 1_000_000;
            expect(to - from + 1).toBeLessThanOrEqual(limit.burst + limit.perSecond * seconds);
          }
        }
      }),
    );
  });

  test('admits the whole burst of a rested key at once, and no further request', () => {
    fc.assert(fc.property(limits, starts, (limit, now) => expect(new Bucket(limit).admissible(now)).toBe(limit.burst)));
  });

  test('reports in `remaining` how many requests it would admit at once', () => {
    fc.assert(
      fc.property(limits, starts, pauses, (limit, start, gaps) => {
        const bucket = new Bucket(limit);
        for (const now of moments(start, gaps)) {
          const { remaining, limit: reported } = bucket.charge(now);
          expect([reported, remaining]).toEqual([limit, bucket.admissible(now)]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('reports exactly in `retryAfterMicros` when the next request is admitted, and 0 after an admitted one', () => {
    fc.assert(
      fc.property(limits, starts, pauses, (limit, start, gaps) => {
        const bucket = new Bucket(limit);
        for (const now of moments(start, gaps)) {
          const { admitted, retryAfterMicros } = bucket.charge(now);
          if (admitted) expect(retryAfterMicros).toBe(0);
          else {
            expect(retryAfterMicros).toBeGreaterThan(0);
            expect(bucket.copy().charge(now + retryAfterMicros - 1).admitted).toBe(false);
            expect(bucket.copy().charge(now + retryAfterMicros).admitted).toBe(true);
          }
        }
      }),
    );
  });

  test('reports exactly in `resetAfterMicros` when the whole burst is available', () => {
    fc.assert(
      fc.property(limits, starts, pauses, (limit, start, gaps) => {
        const bucket = new Bucket(limit);
        for (const now of moments(start, gaps)) {
          const { resetAfterMicros } = bucket.charge(now);
          expect(resetAfterMicros).toBeGreaterThan(0);
          expect(bucket.admissible(now + resetAfterMicros)).toBe(limit.burst);
          expect(bucket.admissible(now + resetAfterMicros - 1)).toBe(limit.burst - 1);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('charges nothing for refused requests', () => {
    const bucket = new Bucket({ perSecond: 20, burst: 2 });
    const decisions = Array.from({ length: 50 }, () => bucket.charge(0));
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(2);
    expect(decisions.at(-1)!.retryAfterMicros).toBe(decisions[2]!.retryAfterMicros);
    expect(bucket.charge(50_000).admitted).toBe(true);
  });

  test('makes nobody wait longer than a full bucket does after the clock was set back', () => {
    fc.assert(
      fc.property(limits, starts, pauses, fc.integer({ min: 1, max: 2 ** 49 }), (limit, start, gaps, back) => {
        const bucket = new Bucket(limit);
        const later = moments(start + back, gaps).map((now) => (bucket.charge(now), now));
        const before = bucket.copy();
        const now = later.at(-1)! - back;
        const { admitted, resetAfterMicros, retryAfterMicros } = bucket.charge(now);
        const interval = emissionIntervalMicros(limit);
        expect(resetAfterMicros).toBeLessThanOrEqual(interval * limit.burst);
        expect(admitted ? 0 : retryAfterMicros).toBeLessThanOrEqual(interval);
        // A client gains nothing while the clock stays set back.
        expect(bucket.admissible(now)).toBeLessThanOrEqual(before.admissible(later.at(-1)!));
        expect(bucket.admissible(now + interval * limit.burst)).toBe(limit.burst);
      }),
    );
  });

  test('admits these requests under the default limit of 100 and 20 a second', () => {
    const limit = { perSecond: 20, burst: 100 };
    const bucket = new Bucket(limit);
    const rested = { admitted: true, limit, remaining: 99, resetAfterMicros: 50_000, retryAfterMicros: 0 };
    expect(bucket.charge(0)).toEqual(rested);
    for (let sent = 1; sent < 100; sent += 1) bucket.charge(0);
    const refused = {
      admitted: false,
      limit,
      remaining: 0,
      resetAfterMicros: 5_000_000,
      retryAfterMicros: 50_000,
    };
    expect(bucket.charge(0)).toEqual(refused);
    expect(bucket.charge(5_000_000)).toEqual(rested);
  });
});

test.each([
  [1, 1_000_000],
  [3, 333_334],
  [20, 50_000],
  [999_999, 2],
  [1_000_000, 1],
])(
  'emissionIntervalMicros for %i a second is %i µs, rounded up so that the rate is never exceeded',
  (perSecond, micros) => {
    expect(emissionIntervalMicros({ perSecond, burst: 1 })).toBe(micros);
  },
);

test.each([
  [20, 100, 5],
  [20, 101, 6],
  [100, 1, 1],
])('rateLimitWindowSeconds at %i a second for a burst of %i is %i', (perSecond, burst, seconds) => {
  expect(rateLimitWindowSeconds({ perSecond, burst })).toBe(seconds);
});
