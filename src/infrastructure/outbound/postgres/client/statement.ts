import type pg from 'pg';
import type { DatabaseConfig } from '../../../../config/database-config.js';

/** A prepared statement, parsed once a connection that is a session. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Asks on one connection. */
export type Ask = <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) => Promise<Row[]>;

/** Without names where each transaction may get another session, which may not know a statement by its name. */
export function asksOn(client: pg.ClientBase, pooling: DatabaseConfig['pooling']): Ask {
  return async <Row extends pg.QueryResultRow>({ name, text }: Statement, values: unknown[]) =>
    (await client.query<Row>(pooling === 'session' ? { name, text, values } : { text, values })).rows;
}
