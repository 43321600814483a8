import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * A fresh, empty database on the run's PostgreSQL, for one suite.
 * @returns {Promise<{ url: string, drop(): Promise<void> }>} `drop` also ends open connections
 */
export async function createDatabase() {
  const name = `suite_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

function serverUrl() {
  const url = process.env['LATCHKEY_TEST_DATABASE_URL'];
  if (!url) throw new Error('LATCHKEY_TEST_DATABASE_URL is missing: test/support/jest/global-setup.mjs has not run.');
  return url;
}

/** @param {string} statement */
async function onServer(statement) {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
