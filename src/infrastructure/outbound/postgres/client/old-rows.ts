import { databaseNow, type Database } from './database.js';

/** Rows for each statement. After a flood or after midnight more rows are old than one statement has time to delete. */
const BATCH = 10_000;

/** Which rows are old, as an SQL condition that an index answers. `$1::timestamptz` is the time. */
export interface OldRows {
  readonly table: string;
  readonly areOld: string;
}

/**
 * Deletes a batch of each kind in turn, until none has more. So a kind that has many or that fails does not delay the
 * others. Each batch is a transaction of its own, so that no row stays locked for long. Throws the first error at the end.
 */
export async function deleteOldRows(database: Database, kinds: readonly OldRows[]): Promise<void> {
  const now = await database.run(databaseNow);
  const errors: unknown[] = [];
  for (let left = kinds; left.length > 0;) {
    const unfinished: OldRows[] = [];
    for (const kind of left) {
      const deleted = await deleteBatch(database, kind, now).catch((error: unknown) => void errors.push(error));
      if (deleted === BATCH) unfinished.push(kind);
    }
    left = unfinished;
  }
  if (errors.length > 0) throw errors[0];
}

/** Skips rows that a request or another instance has locked. */
async function deleteBatch(database: Database, { table, areOld }: OldRows, now: Date): Promise<number> {
  const old = `SELECT ctid FROM ${table} WHERE ${areOld} LIMIT $2 FOR UPDATE SKIP LOCKED`;
  const statement = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${old}))`;
  const [, count] = await database.maintain((manager) => manager.query<[unknown, number]>(statement, [now, BATCH]));
  return count;
}
