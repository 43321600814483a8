import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/** What Nest itself logs, as far as it matters to an operator. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(): void {
    // Routes mapped and modules started: the code says as much.
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
