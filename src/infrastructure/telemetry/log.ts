import { type DestinationStream, pino, type Logger } from 'pino';
import { LatchkeyError } from '../../domain/errors.js';
import { withoutSecrets } from '../../domain/secrets.js';

/** One JSON line an event on standard output. Nothing is logged that a person typed as a credential. */
export class Log {
  private readonly logger: Logger;
  /** One error is the answer to all that were asked together. */
  private readonly logged = new WeakSet<object>();

  /** @param destination standard output unless given */
  constructor(level: string, destination?: DestinationStream) {
    // No line should hold a key. If one ever does, the key is masked here.
    const hooks = { streamWrite: withoutSecrets };
    const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks };
    this.logger = destination ? pino(options, destination) : pino(options);
  }

  debug(message: string, facts: object = {}): void {
    this.logger.debug(facts, message);
  }

  info(message: string, facts: object = {}): void {
    this.logger.info(facts, message);
  }

  warn(message: string, facts: object = {}): void {
    this.logger.warn(facts, message);
  }

  error(message: string, facts: object = {}): void {
    this.logger.error(facts, message);
  }

  /** An error that is about to be answered: our own faults with their stack, outages with their cause, others at debug. */
  fault(error: unknown): void {
    if (typeof error === 'object' && error !== null) {
      if (this.logged.has(error)) return;
      this.logged.add(error);
    }
    const code = error instanceof LatchkeyError ? error.code : undefined;
    if (code === undefined)
      this.error('internal error', { stack: error instanceof Error ? error.stack : String(error) });
    else if (code === 'unavailable') this.warn('unavailable', { cause: causeOf(error) });
    else this.debug('refused', { code });
  }
}

function causeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : undefined;
}
