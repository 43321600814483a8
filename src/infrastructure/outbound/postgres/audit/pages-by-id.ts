import type { EntityManager, SelectQueryBuilder } from 'typeorm';

/** Rows for each read. The process answers no other request while it handles a page. */
const PAGE = 500;

/** A page of a table's rows, in the order of their ids, starting with `from`. */
export function pageFrom<Row extends { id: string }>(
  manager: EntityManager,
  table: new () => Row,
  from: bigint,
): SelectQueryBuilder<Row> {
  return manager
    .createQueryBuilder(table, 'row')
    .where('row.id >= :from', { from: String(from) })
    .orderBy('row.id')
    .limit(PAGE);
}

/** All rows from `fromId` on. Holds one page in memory at a time. */
export async function* pagesById<Row extends { id: string }>(
  readPage: (from: bigint) => Promise<Row[]>,
  fromId: bigint,
): AsyncGenerator<Row> {
  for (let from = fromId; ;) {
    const rows = await readPage(from);
    yield* rows;
    if (rows.length < PAGE) return;
    from = BigInt(rows.at(-1)!.id) + 1n;
  }
}
