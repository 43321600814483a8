import { type DestinationStream, pino, type Logger } from 'pino';
import { LatchkeyError } from '../../domain/errors.js';
import { withoutSecrets } from '../../domain/secrets.js';
import type { RefusalDetails, Refusals } from '../../application/ports.js';
import type { FailedAuthentication } from '../../domain/audit/audit-event.js';

/** One JSON line an event on standard output. Nothing is logged that a person typed as a credential. */
export class Log {
  private readonly logger: Logger;
  /** Whether lines at debug are written: where making one costs something, look here first. */
  readonly isDebug: boolean;
  /** One error is the answer to all that were asked together. */
  private readonly logged = new WeakSet<object>();

  /** @param destination standard output unless given */
  constructor(level: string, destination?: DestinationStream) {
    // No line should hold a key. If one ever does, the key is masked here.
    const hooks = { streamWrite: withoutSecrets };
    const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks };
    this.logger = destination ? pino(options, destination) : pino(options);
    this.isDebug = this.logger.isLevelEnabled('debug');
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

  /** A fault that the process ends with. */
  fatal(message: string, error: unknown, facts: object = {}): void {
    this.logger.fatal({ ...facts, stack: stackOf(error) }, message);
  }

  /**
   * An error that is about to be answered: our own faults with their stack, what was not available with its cause, once
   * each; others at debug.
   */
  fault(error: unknown, { requestId }: AnsweredCall = {}): void {
    const isNews = this.note(error);
    if (!(error instanceof LatchkeyError)) {
      if (isNews) this.error('internal error', { stack: stackOf(error), requestId });
    } else if (error.code === 'unavailable' && error.cause && isNews) {
      this.warn('unavailable', { cause: causeOf(error), requestId });
    } else this.debug('refused', { code: error.code, why: error.message, requestId });
  }

  /** Whether it is the first time that this error is seen. From now on there is nothing more to say of it above debug. */
  note(error: unknown): boolean {
    if (typeof error !== 'object' || error === null) return true;
    if (this.logged.has(error)) return false;
    this.logged.add(error);
    return true;
  }
}

/** A call that an error is the answer to. */
interface AnsweredCall {
  readonly requestId?: string | undefined;
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : String(error);
}

interface Cause {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: unknown;
}

/** What went wrong below, in the words of all who passed it on. Of an error of ours the words are for callers. */
export function causeOf(error: unknown): string {
  const causes: string[] = [];
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = (cause as Cause).cause) {
    const { message, code } = cause as Cause;
    // A name with several addresses fails with one error for each, and no message of its own.
    const words = message || code;
    if (words && !(cause instanceof LatchkeyError)) causes.push(words);
  }
  return causes.join(': ');
}

/** One line a refusal, at debug: at any other level it costs a look at the level. */
export class LoggedRefusals implements Refusals {
  constructor(private readonly log: Log) {}

  note({ reason, client, keyId, ownerId, publicPart }: FailedAuthentication, { why, question }: RefusalDetails): void {
    if (!this.log.isDebug) return;
    const facts = { reason, why, ...question, requestId: client.requestId, keyId, ownerId, publicPart };
    this.log.debug('refused', Object.fromEntries(Object.entries(facts).filter(([, value]) => value)));
  }
}
