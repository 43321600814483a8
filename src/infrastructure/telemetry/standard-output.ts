import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** How long a line waits for a slow reader, in all and at once. */
const TIMEOUT_MS = 1000;
const PAUSE_MS = 10;
const clock = new Int32Array(new SharedArrayBuffer(4));

/**
 * The log on standard output. A line that can't be written, such as to a full disk, is dropped and counted: pino's own
 * destination would try the same line for ever, and the process would neither serve nor stop.
 */
export class StandardOutput implements DestinationStream {
  private dropped = 0;

  /** @param fd another file, and another timeout, for tests */
  constructor(
    private readonly fd = 1,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  write(line: string): void {
    const report = this.dropped > 0 ? `\n${this.report()}` : '';
    try {
      this.writeAll(Buffer.from(report + line));
      if (report) this.dropped = 0;
    } catch {
      this.dropped += 1;
    }
  }

  private report(): string {
    const facts = { level: 40, time: new Date().toISOString(), dropped: this.dropped, msg: 'log lines were dropped' };
    return `${JSON.stringify(facts)}\n`;
  }

  private writeAll(bytes: Buffer): void {
    const giveUpAt = performance.now() + this.timeoutMs;
    for (let written = 0; written < bytes.length;) {
      try {
        written += writeSync(this.fd, bytes, written);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > giveUpAt) throw error;
        Atomics.wait(clock, 0, 0, PAUSE_MS);
      }
    }
  }
}
