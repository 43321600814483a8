import { LatchkeyError } from '../../../../domain/errors.js';

interface DriverError {
  /** An SQLSTATE, or a system error of the socket. */
  readonly code?: string;
  /** Set on what PostgreSQL itself answered. */
  readonly severity?: string;
  readonly syscall?: string;
  readonly constraint?: string;
  readonly message?: string;
}

/**
 * SQLSTATE classes that mean "PostgreSQL can't serve this now": connection, resources, operator intervention, system
 * error, rollback for concurrency, lock timeout, and read_only_sql_transaction. And what only connecting meets: no such
 * database (3D), a login refused (28), and a database that takes no connections (55000).
 */
const UNAVAILABLE_STATE = /^(08|53|57|58|40|3D|28|55000|55P03|25006)/;
/**
 * What pg, its pool and TypeORM say without a code when a connection is lost, refused or late. The last of them is what
 * TypeORM makes of one that was lost between two statements of a transaction.
 */
const UNAVAILABLE_MESSAGE =
  /connection|timeout|timed out|not queryable|in recovery|pool after calling end|not connected|runner already released/i;

/** A driver error as the core knows it: `unavailable`, or the error itself when it is a fault of our own. */
export function storeError(error: unknown): unknown {
  if (error instanceof LatchkeyError) return error;
  return isOutage(driverError(error)) ? unavailable(error) : error;
}

export function unavailable(cause?: unknown): LatchkeyError {
  return new LatchkeyError('unavailable', 'The database is not available: try again shortly', {}, { cause });
}

/**
 * Whether what was not available is one call's own misfortune, and the next may fare better: rolled back for another (40),
 * a lock that another held for long (55P03), a statement that took too long (57014).
 */
export function isOfOneCall(cause: unknown): boolean {
  return /^(40|55P03|57014)/.test(driverError(cause).code ?? '');
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = driverError(error);
  return code === '23505' && violated === constraint;
}

function isOutage({ code = '', severity, syscall, message = '' }: DriverError): boolean {
  if (severity !== undefined) return UNAVAILABLE_STATE.test(code);
  return syscall !== undefined || UNAVAILABLE_MESSAGE.test(message);
}

/** TypeORM wraps what pg throws. */
function driverError(error: unknown): DriverError {
  const wrapped = error as { driverError?: DriverError } | undefined;
  return wrapped?.driverError ?? (error as DriverError | undefined) ?? {};
}
