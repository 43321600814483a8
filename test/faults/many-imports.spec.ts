import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { importedString, IMPORT_PREFIX, importKeys, importOf } from '../support/callers/imports.js';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

/** More than there are connections for everything that people do. */
const STREAMS = 30;

let service: Service;
beforeAll(async () => {
  service = await startService({ IMPORT_PREFIXES: IMPORT_PREFIX });
});
afterAll(() => service?.stop());

/** The transactions that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await sql<{ count: number }>(
    service.databaseUrl,
    `SELECT count(*)::integer FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.count;
}

test('leaves the connections to everybody else, however many streams import', async () => {
  const [ada, grace] = [await newOwner(service), await newOwner(service)];
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [ada.id]);
    const streams = Array.from({ length: STREAMS }, () => [importOf(importedString(), ada.id)]);
    const imports = Promise.all(streams.map((requests) => importKeys(service.clients, requests)));
    imports.catch(() => undefined);
    await eventually(async () => (await waiting()) > 0);
    for (let turn = 0; turn < STREAMS; turn += 1) {
      // One after the other, so that the streams have arrived in the meantime.
      // oxlint-disable-next-line no-await-in-loop
      await grace.person.list();
    }
    expect(await waiting()).toBe(1);
    await holder.query('COMMIT');
    for (const [response] of await imports) expect(response!.error).toBe('');
  } finally {
    await holder.end();
  }
});
