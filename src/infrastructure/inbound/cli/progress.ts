import type { WriteStream } from 'node:tty';

const WIDTH = 24;
const EVERY_MS = 100;

/** How far a long work has come, in one line of a terminal. Elsewhere it says nothing. */
export class ProgressBar {
  private toldAt = -Infinity;

  constructor(
    private readonly what: string,
    private readonly terminal: WriteStream = process.stderr,
  ) {}

  show(count: number, fraction: number): void {
    const now = performance.now();
    if (!this.terminal.isTTY || now - this.toldAt < EVERY_MS) return;
    this.toldAt = now;
    const part = Math.min(1, Math.max(0, fraction));
    const bar = '█'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '░');
    this.terminal.write(`\r${bar} ${Math.floor(part * 100)} %, ${count} ${this.what}\x1b[K`);
  }

  clear(): void {
    if (this.toldAt > -Infinity) this.terminal.write('\r\x1b[K');
  }
}
