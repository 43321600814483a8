import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { LatchkeyError } from '../../../../domain/errors.js';

interface DriverError {
  /** An SQLSTATE, or a system error of the socket. */
  readonly code?: string;
  /** Only set on errors that PostgreSQL itself sent. */
  readonly severity?: string;
  readonly constraint?: string;
}

/**
 * SQLSTATE classes that mean "PostgreSQL can't serve this now": connection, resources, operator intervention, system
 * error, rollback for concurrency, lock timeout, and read_only_sql_transaction. Three more occur only while connecting:
 * no such database (3D), login refused (28), and database accepts no connections (55000).
 */
const UNAVAILABLE_STATE = /^(08|53|57|58|40|3D|28|55000|55P03|25006)/;

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

/** Whether only this call failed: rolled back in favour of another (40), lock timeout (55P03), or too slow (57014). */
export function isOfOneCall(cause: unknown): boolean {
  return /^(40|55P03|57014)/.test(driverError(cause).code ?? '');
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
