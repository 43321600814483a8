import type { Instrument } from '../../telemetry/instrument.js';

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
