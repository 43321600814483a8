import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/** Passes on what Nest logs, as far as it matters to an operator. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(): void {
    // Drops reports about mapped routes and started modules, which the code shows as well.
  }

  warn(message: unknown): void {
    this.target.warn(String(message));
  }

  error(message: unknown): void {
    this.target.error(String(message));
  }

  fatal(message: unknown): void {
    this.target.error(String(message));
  }
}
