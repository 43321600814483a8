import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Limits, SessionSource, Work } from './data-source.js';
import { unavailable } from './errors.js';
import { poolInstruments } from './pool.js';

/** The pool for all but the validation path. Any error that keeps PostgreSQL from answering becomes `unavailable`. */
export class Database {
  constructor(private readonly dataSource: SessionSource) {}

  /** How long one statement may take; undefined for tools without a limit. */
  get answerTimeoutMs(): number | undefined {
    const { answerTimeoutMs }: Limits = this.dataSource.options.extra;
    return answerTimeoutMs;
  }

  instruments(): Instrument[] {
    return poolInstruments('management', this.dataSource.pool);
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  /** Runs statements that change nothing. */
  run<T>(work: Work<T>): Promise<T> {
    return this.call(() => this.dataSource.run(work));
  }

  /** All or nothing, at READ COMMITTED. Row locks guard what must stay true across statements. */
  transaction<T>(work: Work<T>): Promise<T> {
    const { dataSource } = this;
    return this.call(() =>
      dataSource.primary.config.requireSynchronous ? dataSource.synchronously(work) : dataSource.readCommitted(work),
    );
  }

  /** A change that nobody relies on, such as housekeeping: REQUIRE_SYNCHRONOUS does not refuse it. */
  maintain<T>(work: Work<T>): Promise<T> {
    return this.call(() => this.dataSource.readCommitted(work));
  }

  /** All statements of `work` see what was committed before the first one. */
  snapshot<T>(work: Work<T>): Promise<T> {
    return this.call(() => this.dataSource.snapshot(work));
  }

  private async call<T>(work: () => Promise<T>): Promise<T> {
    const { isInitialized, primary } = this.dataSource;
    try {
      if (!isInitialized) throw unavailable(new Error('the pool is closed'));
      const answer = await work();
      primary.outage.answered('management');
      return answer;
    } catch (error) {
      throw primary.outage.failed('management', error);
    }
  }
}

/** The clock that all instances share, rounded down to the millisecond, as timestamptz(3) columns hold it. */
export const NOW = `date_trunc('milliseconds', clock_timestamp())`;
/** The same, read once for each statement: an index can only answer a comparison with such a time. */
export const NOW_ONCE = `(SELECT ${NOW})`;

export async function databaseNow(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ now: Date }[]>(`SELECT ${NOW} AS now`);
  return row!.now;
}

/**
 * Inserts the rows in this order, each with the same columns. They are one parameter: a statement may have 65,535, and
 * TypeORM takes long to build one with thousands.
 */
export async function insertMany<Row extends ObjectLiteral>(
  manager: EntityManager,
  table: new () => Row,
  rows: readonly Partial<Row>[],
): Promise<void> {
  const { name, columns, source, json } = asJson(manager, table, rows);
  const names = columns.join(', ');
  await manager.query(`INSERT INTO ${name} (${names}) SELECT ${names} FROM ${source}`, [json]);
}

/** Sets these columns of the rows with these ids. */
export async function updateMany<Row extends ObjectLiteral & { id: string }>(
  manager: EntityManager,
  table: new () => Row,
  rows: readonly (Partial<Row> & { id: string })[],
): Promise<void> {
  const { name, columns, source, json } = asJson(manager, table, rows);
  const changes = columns.map((column) => `${column} = changed.${column}`).join(', ');
  await manager.query(`UPDATE ${name} SET ${changes} FROM ${source} AS changed WHERE ${name}.id = changed.id`, [json]);
}

/** As rows of the table, in SQL. The statement's parameter $1 is `json`. */
function asJson(manager: EntityManager, table: new () => ObjectLiteral, rows: readonly ObjectLiteral[]) {
  const { tableName: name, columns } = manager.connection.getMetadata(table);
  const given = columns.filter(({ propertyName }) => propertyName in rows[0]!);
  const stored = rows.map((row) =>
    Object.fromEntries(given.map(({ databaseName, propertyName }) => [databaseName, readable(row[propertyName])])),
  );
  return {
    name,
    columns: given.map(({ databaseName }) => `"${databaseName}"`),
    source: `json_populate_recordset(NULL::${name}, $1)`,
    json: JSON.stringify(stored),
  };
}

function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
}
