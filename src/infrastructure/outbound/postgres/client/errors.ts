import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { LatchkeyError } from '#domain/errors.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';

interface DriverError {
  /** An SQLSTATE, or a system error of the socket. */
  readonly code?: string;
  /** Only set on errors that PostgreSQL itself sent. */
  readonly severity?: string;
  readonly constraint?: string;
}

/**
 * SQLSTATE classes that mean "PostgreSQL can't serve this now": connection, resources, operator intervention, system
 * error, rollback for concurrency, lock timeout, read_only_sql_transaction, and transactions that were idle or open for too
 * long, as those of a process that was frozen. Three more occur only while connecting:
 * no such database (3D), login refused (28), and database accepts no connections (55000).
 */
const UNAVAILABLE_STATE = /^(08|53|57|58|40|3D|28|55000|55P03|25006|25P03|25P04)/;

/**
 * What the core expects: `unavailable`, or the error itself when it is our own fault. PostgreSQL's errors have an
 * SQLSTATE. What pg reports about a connection has no code, so `connectionError` marked it where it was thrown.
 */
export function storeError(error: unknown): unknown {
  const cause = driverError(error);
  if (cause instanceof LatchkeyError) return cause;
  // What TypeORM throws when the connection was lost between two statements of a transaction.
  const isReleased =
    error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
  const isOutage = isAnswer(cause) ? UNAVAILABLE_STATE.test(cause.code ?? '') : isReleased;
  return isOutage ? unavailable(error) : error;
}

/** An error that ended a connection or kept it from opening: `unavailable`, unless PostgreSQL gave the reason. */
export function connectionError(error: unknown): unknown {
  return error instanceof LatchkeyError || isAnswer(error as DriverError) ? error : unavailable(error);
}

export function unavailable(cause?: unknown): LatchkeyError {
  return new LatchkeyError('unavailable', 'The database is not available: try again shortly', {}, { cause });
}

/** Whether only this call failed: rolled back in favour of another (40), lock timeout (55P03), or too slow (57014, 25P). */
function isOfOneCall(cause: unknown): boolean {
  return /^(40|55P03|57014|25P)/.test(driverError(cause).code ?? '');
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = driverError(error);
  return code === '23505' && violated === constraint;
}

function isAnswer({ severity }: DriverError): boolean {
  return severity !== undefined;
}

/** TypeORM wraps the errors of pg. */
function driverError(error: unknown): DriverError {
  const wrapped = error as { driverError?: DriverError } | undefined;
  return wrapped?.driverError ?? (error as DriverError | undefined) ?? {};
}

type Pool = 'validation' | 'audit' | 'management';

/** A pool has recovered only if its last failure is this long ago, because a failing pool may answer now and then. */
const SETTLED_MS = 1000;

/** One outage for all pools. It ends when every pool that failed has answered again. */
export class PostgresOutage {
  private readonly outage: Outage;
  /** When each pool last failed that has not answered since. */
  private readonly failing = new Map<Pool, number>();

  constructor(log = new Log('silent')) {
    this.outage = new Outage(log, {
      store: 'PostgreSQL',
      effect: 'what needs it is answered UNAVAILABLE',
      again: 'everything is answered again',
    });
  }

  /** Call it with the error of a failed call. Returns the error as the core knows it, for the caller to throw. */
  failed(pool: Pool, thrown: unknown): unknown {
    const error = storeError(thrown);
    if (error instanceof LatchkeyError && error.code === 'unavailable' && !isOfOneCall(error.cause)) {
      this.failing.set(pool, performance.now());
      this.outage.noticed(error, { pool });
    }
    return error;
  }

  /** Call it when a call of a pool has succeeded. */
  answered(pool: Pool): void {
    if (this.failing.size === 0) return;
    if (performance.now() - (this.failing.get(pool) ?? Infinity) < SETTLED_MS) return;
    // Readiness uses this pool every second, while others may not be used for hours. So this pool ends the outage.
    if (pool === 'validation' && this.failing.has(pool)) this.failing.clear();
    else this.failing.delete(pool);
    if (this.failing.size === 0) this.outage.over();
  }
}
