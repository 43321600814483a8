import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { LatchkeyError } from '../../../../domain/errors.js';

interface DriverError {
  /** An SQLSTATE, or a system error of the socket. */
  readonly code?: string;
  /** Only on what PostgreSQL itself answered. */
  readonly severity?: string;
  readonly constraint?: string;
}

/**
 * SQLSTATE classes that mean "PostgreSQL can't serve this now": connection, resources, operator intervention, system
 * error, rollback for concurrency, lock timeout, and read_only_sql_transaction. And those that only connecting meets: no such
 * database (3D), a login refused (28), and a database that takes no connections (55000).
 */
const UNAVAILABLE_STATE = /^(08|53|57|58|40|3D|28|55000|55P03|25006)/;

/**
 * What a call of PostgreSQL failed with, as the core knows it: `unavailable`, or the error itself when it is a fault of our
 * own. PostgreSQL's answers are known by their SQLSTATE; what pg reports about a connection has no code, so it was marked
 * where it was thrown (`connectionError`).
 */
export function storeError(error: unknown): unknown {
  const cause = driverError(error);
  if (cause instanceof LatchkeyError) return cause;
  const isOutage = isAnswer(cause) ? UNAVAILABLE_STATE.test(cause.code ?? '') : isReleased(error);
  return isOutage ? unavailable(error) : error;
}

/** What kept a connection from being opened, or ended it: `unavailable`, unless PostgreSQL said why. */
export function connectionError(error: unknown): unknown {
  return error instanceof LatchkeyError || isAnswer(error as DriverError) ? error : unavailable(error);
}

export function unavailable(cause?: unknown): LatchkeyError {
  return new LatchkeyError('unavailable', 'The database is not available: try again shortly', {}, { cause });
}

/**
 * Whether what was not available is one call's own misfortune, and the next may succeed: rolled back for another (40), a lock
 * that another had for long (55P03), a statement that took too long (57014).
 */
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

/** What TypeORM makes of a connection that was lost between two statements of a transaction. */
function isReleased(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}

/** TypeORM wraps what pg throws. */
function driverError(error: unknown): DriverError {
  const wrapped = error as { driverError?: DriverError } | undefined;
  return wrapped?.driverError ?? (error as DriverError | undefined) ?? {};
}
