import { counter, gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Log } from '../../telemetry/log.js';
import type { Job } from './job.js';
import { ScheduledJob } from './scheduled-job.js';

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
