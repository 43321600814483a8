import type { Instrument } from '../../telemetry/instrument.js';

/** Work that the clock asks for. Registered in `composition/jobs.ts`, it is run, measured, and ended with the service. */
export interface Job {
  /** In metrics and in the log: `sweep-due-ends`. */
  readonly name: string;
  /** From the end of one run to the beginning of the next. */
  readonly everyMs: number;
  /** May answer that the next run is due earlier, in so many milliseconds. */
  run(): Promise<number | void>;
  /** Is given, before the first run, what makes the next run due at once. */
  hurriedBy?(hurry: () => void): void;
  instruments?(): readonly Instrument[];
  /** The service ends: a run that is under way must come to its end soon. */
  stop?(): void;
  /** Runs once more at the end, when nothing else asks for anything any more. */
  readonly runsAtEnd?: boolean;
}
