import cliProgress from 'cli-progress';

const { Presets, SingleBar } = cliProgress;

/** Shows progress in one line of a terminal. Prints nothing when stderr is not a terminal. */
export class ProgressBar {
  private readonly bar: cliProgress.SingleBar;

  /** @param what is counted: "events" */
  constructor(what: string) {
    this.bar = new SingleBar(
      { format: `{bar} {percentage} %, {count} ${what}`, stream: process.stderr, clearOnComplete: true, barsize: 24 },
      Presets.shades_classic,
    );
    this.bar.start(1, 0, { count: 0 });
  }

  /** @param fraction 0 to 1 */
  show(count: number, fraction: number): void {
    this.bar.update(Math.min(1, Math.max(0, fraction)), { count });
  }

  /** Removes the line. */
  clear(): void {
    this.bar.stop();
  }
}
