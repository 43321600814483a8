import pg from 'pg';

/** Runs one statement on a connection of its own, to read stored data or to move stored times. */
export async function sql<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is stopped ends the connection, perhaps after the answer. A failed statement is thrown all the same.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
