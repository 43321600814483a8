import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * @typedef {object} Database
 * @property {string} url
 * @property {() => Promise<void>} drop also ends open connections
 */

/**
 * A fresh, empty database on the run's PostgreSQL, for one suite.
 * @returns {Promise<Database>}
 */
export function createDatabase() {
  return create('');
}

/**
 * The same with all tables, which is a copy of one that was migrated: a tenth of the work.
 * @returns {Promise<Database>}
 */
export async function createMigratedDatabase() {
  const answer = await fetch(`${fromSetup('LATCHKEY_TEST_SHARED_URL')}/migrated`);
  if (!answer.ok) throw new Error(await answer.text());
  const { name } = /** @type {{ name: string }} */ (await answer.json());
  const database = await create(`TEMPLATE ${name}`);
  // Random in each database, as after a migration.
  await query(database.url, `UPDATE decoy_key SET key = sha256('${randomBytes(32).toString('hex')}')`);
  return database;
}

/**
 * @param {string} how
 * @returns {Promise<Database>}
 */
async function create(how) {
  const server = fromSetup('LATCHKEY_TEST_DATABASE_URL');
  const name = `suite_${randomBytes(6).toString('hex')}`;
  await query(server, `CREATE DATABASE ${name} ${how}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** @param {string} name */
function fromSetup(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: test/support/jest/global-setup.mjs has not run.`);
  return value;
}

/**
 * @param {string} connectionString
 * @param {string} statement
 */
async function query(connectionString, statement) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
