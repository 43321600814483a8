import { type DestinationStream, pino, type Logger } from 'pino';
import { LatchkeyError } from '#domain/errors.js';
import type { KeyRights } from '#domain/keys/key-rights.js';
import { withoutSecrets } from '#domain/secrets.js';
import { RareLines } from './rare-lines.js';
import { StandardOutput } from './standard-output.js';
import type { RefusalDetails, Refusals } from '#application/validation-ports.js';
import type { FailedAuthentication } from '#domain/audit/audit-event.js';

/** Writes one JSON line for each event to standard output. Never log what a person typed as a credential. */
export class Log {
  private readonly logger: Logger;
  /** Whether debug lines are written. Check it first where making a line is expensive. */
  readonly isDebug: boolean;
  /** Errors that were logged already, because one error may be the answer to all calls of a batch. */
  private readonly logged = new WeakSet<object>();
  private readonly warned = new Set<string>();

  /** @param destination standard output by default */
  constructor(level: string, destination?: DestinationStream) {
    // No line should contain a key. If one ever does, the key is masked here.
    const hooks = { streamWrite: withoutSecrets };
    const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks };
    // Like pino, keeps to a `process.stdout.write` that a program has replaced.
    const isReplaced = Object.hasOwn(process.stdout, 'write');
    this.logger = pino(options, destination ?? (isReplaced ? process.stdout : new StandardOutput()));
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

  /** Warns of what is wrong with the settings, which each request would show again. @param about what counts as the same */
  warnOnce(message: string, facts: object = {}, about = message): void {
    if (this.warned.has(about)) return;
    this.warned.add(about);
    this.warn(message, facts);
  }

  error(message: string, facts: object = {}): void {
    this.logger.error(facts, message);
  }

  /** An error that ends the process. */
  fatal(message: string, error: unknown, facts: object = {}): void {
    this.logger.fatal({ ...facts, stack: stackOf(error) }, message);
  }

  /**
   * Logs an error that is about to be sent as an answer. Our own faults are logged with their stack and unavailable
   * stores with the cause, each error once. All others are logged at debug.
   */
  fault(error: unknown, { requestId }: { readonly requestId?: string | undefined } = {}): void {
    const isNews = this.note(error);
    if (!(error instanceof LatchkeyError)) {
      if (isNews) this.error('internal error', { stack: stackOf(error), requestId });
    } else if (error.code === 'unavailable' && error.cause && isNews) {
      this.warn('unavailable', { cause: causeOf(error), requestId });
    } else this.debug('refused', { code: error.code, why: error.message, requestId });
  }

  /** Returns whether this error is new. After that it is logged only at debug. */
  note(error: unknown): boolean {
    if (typeof error !== 'object' || error === null) return true;
    if (this.logged.has(error)) return false;
    this.logged.add(error);
    return true;
  }
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : String(error);
}

/** The messages of an error and all its causes, joined. Leaves out our own errors, whose messages are for callers. */
export function causeOf(error: unknown): string {
  const causes: string[] = [];
  let next = error;
  while (typeof next === 'object' && next !== null) {
    const { message, code, cause } = next as NodeJS.ErrnoException;
    // A host name with several addresses fails with one error for each, in an error that has no message itself.
    const words = message || code;
    if (words && !(next instanceof LatchkeyError)) causes.push(words);
    next = cause;
  }
  return causes.join(': ');
}

/** Permissions of a key in one line. */
const MAX_PERMISSIONS = 20;

/**
 * Logs one line for each refusal, at debug. At info, only refusals of keys whose secret is proven: one line for each key,
 * reason and minute.
 */
export class LoggedRefusals implements Refusals {
  private readonly lines = new RareLines();

  constructor(private readonly log: Log) {}

  note(refused: FailedAuthentication, { why, question, rights }: RefusalDetails): void {
    const { reason, client, keyId, ownerId, publicPart } = refused;
    const { isDebug } = this.log;
    if (!isDebug && !(rights && this.lines.isDue(`${keyId} ${reason}`))) return;
    const has = rights && rightsIn(rights);
    const facts = { reason, why, ...question, has, requestId: client.requestId, keyId, ownerId, publicPart };
    const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value));
    this.log[isDebug ? 'debug' : 'info']('refused', known);
  }
}

function rightsIn({ access, permissions }: KeyRights): object {
  const more = permissions.length - MAX_PERMISSIONS;
  return { access, permissions: permissions.slice(0, MAX_PERMISSIONS), ...(more > 0 && { morePermissions: more }) };
}
