import { setTimeout as pause } from 'node:timers/promises';
import { LatchkeyError } from '#domain/errors.js';
import { counter, gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';

/** Work that runs by the clock. `composition/jobs.ts` registers a job, which is then run, measured and stopped. */
export interface Job {
  /** The name in metrics and in the log, such as `sweep-due-ends`. */
  readonly name: string;
  /** The pause between the end of one run and the start of the next. */
  readonly everyMs: number;
  /** May return milliseconds to make the next run come sooner. */
  run(): Promise<number | void>;
  /** Called before the first run, with a function that makes the next run due at once. */
  hurriedBy?(hurry: () => void): void;
  instruments?(): readonly Instrument[];
  /** Called when the service stops. The current run must end soon. */
  stop?(): void;
  /** Whether the job runs once more at the end, after everything else has stopped. */
  readonly runsAtEnd?: boolean;
}

/** Runs each job on its own timer, so that a failing or slow job does not delay the others. */
export class Clock {
  private readonly jobs: readonly ScheduledJob[];

  constructor(jobs: readonly Job[], log: Log) {
    this.jobs = jobs.map((job) => new ScheduledJob(job, log));
  }

  async open(): Promise<void> {
    for (const job of this.jobs) job.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.end()));
  }

  instruments(): Instrument[] {
    const each = (field: 'runs' | 'failures' | 'lagSeconds') => () =>
      this.jobs.map((job) => [{ job: job.name }, job[field]] as const);
    return [
      counter('latchkey_job_runs_total', 'Runs of a job', each('runs')),
      counter('latchkey_job_failures_total', 'Runs of a job that failed', each('failures')),
      gauge('latchkey_job_lag_seconds', 'Time since a run of a job last succeeded', each('lagSeconds'), 'max'),
      ...this.jobs.flatMap((job) => job.instruments()),
    ];
  }
}

class ScheduledJob {
  runs = 0;
  failures = 0;
  private running: Promise<void> | undefined;
  private hasEnded = false;
  private isFailing = false;
  /** Whether it fails because a store is unavailable. */
  private isOutage = false;
  /** Ends the pause before the next run. Also during a run, which may have read its data too early. */
  private hurry = new AbortController();
  private succeededAt = performance.now();

  constructor(
    private readonly job: Job,
    private readonly log: Log,
  ) {}

  get name(): string {
    return this.job.name;
  }

  get lagSeconds(): number {
    return (performance.now() - this.succeededAt) / 1000;
  }

  instruments(): readonly Instrument[] {
    return this.job.instruments?.() ?? [];
  }

  start(): void {
    this.job.hurriedBy?.(() => this.hurry.abort());
    this.running = this.runUntilTheEnd();
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.hurry.abort();
    this.job.stop?.();
    await this.running;
    if (this.running && this.job.runsAtEnd) await this.runOnce();
  }

  private async runUntilTheEnd(): Promise<void> {
    while (!this.hasEnded) {
      this.hurry = new AbortController();
      const nextMs = await this.runOnce();
      await pause(nextMs, undefined, { signal: this.hurry.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Returns when the next run is due. Repeated failures of a job are logged once, until it succeeds again. */
  private async runOnce(): Promise<number> {
    this.runs += 1;
    try {
      const soonerMs = await this.job.run();
      if (this.isFailing) this.log[this.isOutage ? 'debug' : 'info']('a job works again', { job: this.job.name });
      this.isFailing = false;
      this.succeededAt = performance.now();
      return soonerMs ?? this.job.everyMs;
    } catch (error) {
      this.failures += 1;
      const isOutage = error instanceof LatchkeyError && error.code === 'unavailable';
      if (!this.isFailing || (this.isOutage && !isOutage)) {
        // An outage has a line of its own.
        this.log[isOutage ? 'debug' : 'warn']('a job failed', { job: this.job.name });
        this.log.fault(error);
      }
      [this.isFailing, this.isOutage] = [true, isOutage];
      return this.job.everyMs;
    }
  }
}
