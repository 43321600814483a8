import type { EntityManager, ObjectLiteral } from 'typeorm';

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
