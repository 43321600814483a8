import fc from 'fast-check';
import { type Act, type Rule, type Schedule, World } from './world.js';

/** In this time everything begins, in milliseconds. */
const LONG = 3000;
const NEVER = 1e9;
const among = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const ms = (max: number) => fc.integer({ min: 0, max });
/** Mostly the first, and sometimes the other. */
const mostly = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>, weight = 3) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: unusual });

const leaseMs = among(2000, 2000, 500, 100, 0);
const at = ms(LONG);
const endsAt = mostly(fc.constant(NEVER), at, 1);
const never = fc.constant({ from: NEVER, ms: 0 });
const span = mostly(never, fc.record({ from: at, ms: ms(3000) }), 4);
const once = mostly(fc.constant(NEVER), at);
/** The clocks of guards and of instances: as far apart as they may be, exact, or anything. */
const drift = fc.oneof(
  fc.constant([0.915, 0.915, 1.085]),
  fc.constant([1, 1, 1]),
  fc.tuple(among(0.915, 1, 1.085), among(0.915, 1, 1.085), among(0.915, 1, 1.085)),
);
const renewedMsAgo = fc.tuple(among(0, 0, 10, 15), fc.integer({ min: -3000, max: 1000 }));
const instance = fc.record({ frozen: span, leaseMs, renewedMsAgo, renewsAt: once, endsAt, nextLeaseMs: leaseMs });
const delay = mostly(ms(20), ms(2500), 5);
const delays = fc.tuple(delay, delay, delay, delay);
/** A guard checks the key, and somebody calls about the account soon after that. */
const moment = fc.record({
  at,
  delays,
  guard: among(0, 1),
  instance: among(0, 1),
  callDelays: delays,
  calledAfter: mostly(ms(60), ms(LONG), 2),
  caller: among(0, 1),
  call: among('change', 'change', 'refused call', 'change by a job', 'nothing'),
});
const rotation = fc.record({ at, delays, instance: among(0, 1), usedAfter: ms(LONG), graceMs: among(0, 300, 2000) });

const schedule: fc.Arbitrary<Schedule> = fc
  .record({
    drift,
    asleep: fc.tuple(span, span),
    frozen: fc.tuple(span, span),
    instances: fc.tuple(instance, instance),
    moments: fc.array(moment, { minLength: 1, maxLength: 5 }),
    outage: mostly(never, fc.record({ from: at, ms: ms(5000) }), 6),
    failover: mostly(fc.constant(undefined), fc.record({ at, jumpMs: among(-290_000, 0, 290_000) })),
    /** Where the server's clock does not jump, the key may end by the clock, or be rotated. */
    endsAt: once,
    rotation: mostly(fc.constant(undefined), rotation),
  })
  .map(({ drift: [wallRate, monotonicRate, ofInstances], asleep, frozen, instances, moments, outage, ...more }) => {
    const { failover = { at: NEVER, jumpMs: 0 }, rotation: rotated } = more;
    const calls = moments.flatMap(({ at: checkedAt, delays: some, guard, instance: server, ...call }): Act[] => {
      const check = { what: 'check', at: checkedAt, delays: some, guard, instance: server } as const;
      if (call.call === 'nothing') return [check];
      const { calledAfter, callDelays, caller } = call;
      return [check, { what: call.call, at: checkedAt + calledAfter, delays: callDelays, instance: caller } as Act];
    });
    const isFailover = more.failover !== undefined;
    return {
      guards: [0, 1].map((n) => ({
        wallRate: wallRate!,
        monotonicRate: monotonicRate!,
        frozen: frozen[n]!,
        asleep: asleep[n]!,
      })),
      instances: instances.map(({ renewedMsAgo: [minutes, more_], ...each }) => ({
        ...each,
        wallRate: 1,
        monotonicRate: ofInstances!,
        asleep: { from: NEVER, ms: 0 },
        renewedMsAgo: Math.max(0, minutes * 60_000 + more_),
      })),
      acts: rotated && !isFailover ? [...calls, { what: 'short rotation', ...rotated }] : calls,
      failover,
      outage,
      endsAt: isFailover ? NEVER : more.endsAt,
    };
  });

/** Plays schedules until one breaks the promise. @param removed the rule to do without */
export async function simulate(schedules: number, seed: number, removed?: Rule) {
  const counts = { schedules: 0, leasesUsed: 0 };
  const property = fc.asyncProperty(schedule, async (given) => {
    const world = new World(given, removed);
    await world.run();
    counts.schedules += 1;
    counts.leasesUsed += world.leasesUsed;
    if (world.violations.length > 0) throw new Error(world.violations.join('; '));
  });
  const result = await fc.check(property, { numRuns: schedules, seed, endOnFailure: removed !== undefined });
  return {
    ...counts,
    failed: result.failed,
    found: result.failed ? result.numRuns : undefined,
    report: fc.defaultReportMessage(result),
  };
}
