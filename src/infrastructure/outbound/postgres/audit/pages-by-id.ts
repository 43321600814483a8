import type { EntityManager, SelectQueryBuilder } from 'typeorm';

/** Read in one go, and so without answering anyone else meanwhile. */
const PAGE = 500;

/** A page of a table's rows from an id on, in the order of their ids. */
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

/** All rows from an id on, in the memory of one page. */
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
