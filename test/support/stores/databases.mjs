import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * @typedef {object} Database
 * @property {string} url
 * @property {() => Promise<void>} drop also ends open connections
 */

/**
 * A fresh database on the run's PostgreSQL, for one suite; empty by default.
 * @returns {Promise<Database>}
 */
export async function createDatabase(template = 'template1') {
  const server = fromSetup('LATCHKEY_TEST_DATABASE_URL');
  const name = `suite_${randomBytes(6).toString('hex')}`;
  await sql(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: async () => void (await sql(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)) };
}

/**
 * The same with all tables, which is a copy of one that was migrated: a tenth of the work.
 * @returns {Promise<Database>}
 */
export async function createMigratedDatabase() {
  const answer = await fetch(`${fromSetup('LATCHKEY_TEST_SHARED_URL')}/migrated`);
  if (!answer.ok) throw new Error(await answer.text());
  const database = await createDatabase(/** @type {{ name: string }} */ (await answer.json()).name);
  // Random in each database, as after a migration.
  await sql(database.url, `UPDATE decoy_key SET key = sha256('${randomBytes(32).toString('hex')}')`);
  return database;
}

/** @param {string} name */
function fromSetup(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: test/support/jest/global-setup.mjs has not run.`);
  return value;
}

/**
 * Runs one statement on a connection of its own, to read stored data or to move stored times.
 * @template {import('pg').QueryResultRow} Row
 * @param {string} url
 * @param {string} text
 * @param {unknown[]} [values]
 * @returns {Promise<Row[]>}
 */
export async function sql(url, text, values = []) {
  const client = new pg.Client({ connectionString: url });
  // A server that is stopped ends the connection, perhaps after the answer. A failed statement is thrown all the same.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
