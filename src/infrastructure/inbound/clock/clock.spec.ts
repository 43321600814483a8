import { describe, expect, test } from '@jest/globals';
import { LatchkeyError } from '#domain/errors.js';
import { HOUR_MS } from '#domain/time.js';
import { eventually } from '#test/support/eventually.js';
import { Log } from '#infrastructure/telemetry/log.js';
import type { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { Clock, type Job } from './clock.js';
import { sealEvents } from './metered-jobs.js';

describe('Clock', () => {
  /** The lines of the log, and the metrics of a clock with these jobs. */
  function setUp(...jobs: Job[]) {
    const lines: Record<string, unknown>[] = [];
    const log = new Log('info', {
      write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    });
    const clock = new Clock(jobs, log);
    const counts = (name: string) =>
      clock.instruments().flatMap((one) => (one.name === name ? one.get().values.map(({ value }) => value) : []));
    return { clock, counts, lines };
  }

  test('keeps running the other jobs when one fails, and counts each job separately', async () => {
    let done = 0;
    const failing = { name: 'fails', everyMs: 1, run: () => Promise.reject(new Error('no')) };
    const working = { name: 'works', everyMs: 1, run: async () => void (done += 1) };
    const { clock, counts, lines } = setUp(failing, working);
    await clock.open();
    await eventually(async () => done > 3 && counts('latchkey_job_failures_total')[0]! > 3);
    await clock.close();
    const [failed, worked] = counts('latchkey_job_runs_total');
    expect([failed! > 3, worked]).toEqual([true, done]);
    expect(counts('latchkey_job_failures_total')).toEqual([failed, 0]);
    // Logged once, not at each run.
    expect(lines.filter(({ msg }) => msg === 'a job failed')).toEqual([expect.objectContaining({ job: 'fails' })]);
  });

  test('leaves an outage to the line of its store, and logs another failure after it', async () => {
    let runs = 0;
    const unavailable = () => new LatchkeyError('unavailable', 'away');
    const job = {
      name: 'breaks',
      everyMs: 1,
      run: () => Promise.reject((runs += 1) < 3 ? unavailable() : new Error('no')),
    };
    const { clock, lines } = setUp(job);
    await clock.open();
    await eventually(async () => runs > 5);
    await clock.close();
    expect(lines.filter(({ msg }) => msg === 'a job failed')).toEqual([
      expect.objectContaining({ job: 'breaks', level: 40 }),
    ]);
  });

  test('logs once that a failed job works again', async () => {
    let runs = 0;
    const job = {
      name: 'wakes',
      everyMs: 1,
      run: () => ((runs += 1) < 3 ? Promise.reject(new Error('no')) : Promise.resolve()),
    };
    const { clock, lines } = setUp(job);
    await clock.open();
    await eventually(async () => runs > 5);
    await clock.close();
    expect(lines.filter(({ msg }) => msg === 'a job works again')).toEqual([expect.objectContaining({ job: 'wakes' })]);
  });

  test('never runs a job twice at once, and waits at the end for the run in progress', async () => {
    let [running, most, ended] = [0, 0, 0];
    let release = (): void => undefined;
    const run = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => (release = resolve));
      running -= 1;
      ended += 1;
    };
    const { clock } = setUp({ name: 'slow', everyMs: 1, run });
    await clock.open();
    await eventually(async () => running === 1);
    const closed = clock.close();
    release();
    await closed;
    expect({ running, most, ended }).toEqual({ running: 0, most: 1, ended: 1 });
  });

  test('runs a job once more at the end if it has runsAtEnd', async () => {
    let runs = 0;
    const { clock } = setUp({ name: 'seals', everyMs: 60_000, runsAtEnd: true, run: async () => void (runs += 1) });
    await clock.open();
    await eventually(async () => runs === 1);
    await clock.close();
    expect(runs).toBe(2);
  });

  test('runs a job again after the time that its run returned', async () => {
    let runs = 0;
    const { clock } = setUp({ name: 'hurries', everyMs: 60_000, run: async () => ((runs += 1) < 4 ? 0 : undefined) });
    await clock.open();
    await eventually(async () => runs === 4);
    await clock.close();
    expect(runs).toBe(4);
  });

  describe('with a job that others may hurry', () => {
    /** Each run lasts until the test releases it. */
    function hurriedJob() {
      const job = {
        name: 'hurried',
        // Longer than any test runs.
        everyMs: HOUR_MS,
        runs: 0,
        hurry: (): void => undefined,
        release: (): void => undefined,
        hurriedBy: (hurry: () => void) => void (job.hurry = hurry),
        run: async () => {
          job.runs += 1;
          await new Promise<void>((resolve) => (job.release = resolve));
        },
      };
      return job;
    }
    const endOf = async (clock: Clock, job: { release(): void }) => {
      const closed = clock.close();
      job.release();
      await closed;
    };

    test('runs it immediately', async () => {
      const job = hurriedJob();
      const { clock } = setUp(job);
      await clock.open();
      await eventually(async () => job.runs === 1);
      job.release();
      // A hurry during a run schedules one more run after it. A hurry after the run starts the next one at once.
      await eventually(async () => (job.hurry(), job.runs === 2));
      await endOf(clock, job);
      expect(job.runs).toBe(2);
    });

    test('runs it once more if it was hurried during a run, once or several times', async () => {
      const job = hurriedJob();
      const { clock } = setUp(job);
      await clock.open();
      await eventually(async () => job.runs === 1);
      for (let times = 0; times < 3; times += 1) job.hurry();
      job.release();
      await eventually(async () => job.runs === 2);
      await endOf(clock, job);
      job.hurry();
      expect(job.runs).toBe(2);
    });
  });
});

describe('sealEvents', () => {
  test('reports a lag that grows while events cannot be sealed, and drops once all are sealed', async () => {
    let outcome = 'writers-at-work';
    const events = { unsealedEvents: 7, execute: async () => outcome };
    const clock = new Clock([sealEvents(events as SealAuditEvents)], new Log('silent'));
    const value = (name: string) =>
      clock
        .instruments()
        .find((one) => one.name === name)!
        .get().values[0]!.value;
    const lag = () => value('latchkey_audit_seal_lag_seconds');
    await clock.open();
    await eventually(async () => lag() > 0.9);
    expect(value('latchkey_audit_unsealed_events')).toBe(7);
    const before = lag();
    // More events have come since the look; under load there always are some.
    outcome = 'up-to-date';
    await eventually(async () => lag() < before);
    await clock.close();
  });
});
