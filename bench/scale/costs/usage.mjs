import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { cpuOf, cpuSeconds, familyCpuSeconds } from '../../lib/cpu.mjs';
import { pageImages, position } from './wal.mjs';

const KEYS = 20_000;
/** A key that was written rests for ten seconds at most. */
const REST_MS = 12_000;

/**
 * What it costs to write down what a key did since it was written before: its last use, an address and a day.
 * @param {string} databaseUrl
 * @param {{ pid: number }} service
 * @param {{ ask(order: object): Promise<any> }} client
 */
export async function usageCosts(databaseUrl, service, client) {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query('SHOW data_directory');
  const postmaster = Number.parseInt(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8'), 10);
  const counters = {
    service: () => cpuSeconds(service.pid),
    postgres: () => familyCpuSeconds(postmaster),
  };
  /** What is used again while it rests is written once it has rested. */
  const useTwice = async () => {
    for (const _ of [1, 2]) await client.ask({ concurrency: 256, calls: KEYS, distinct: KEYS });
  };
  /** Only the time after the last use counts, when nothing else is done. */
  const written = async () => {
    await useTwice();
    // So that the images of pages are those of what is measured.
    await database.query('CHECKPOINT');
    const { rows: now } = await database.query('SELECT txid_current() AS id');
    const before = await position(database);
    const { spent } = await cpuOf(counters, () => new Promise((resolve) => setTimeout(resolve, REST_MS)));
    const bytes = await position(database, before);
    const { rows: since } = await database.query(
      'SELECT count(*)::integer AS keys FROM api_key_usage WHERE xmin::text::bigint > $1',
      [now[0].id],
    );
    const { keys } = since[0];
    const { service: ours, postgres } = spent;
    return {
      keys,
      serviceMicros: (ours * 1e6) / keys,
      postgresMicros: (postgres * 1e6) / keys,
      walBytes: bytes / keys,
    };
  };
  await written();
  await pageImages(database, 'off');
  const plain = await written();
  await pageImages(database, 'on');
  const { walBytes: walBytesAfterCheckpoint } = await written();
  await database.end();
  return { ...plain, walBytesAfterCheckpoint };
}
