import pg from 'pg';
import { cpuOf, cpuSeconds } from '../../lib/cpu.mjs';
import { backendPid, walBytes } from '../../lib/database.mjs';
import { sum } from '../../lib/statistics.mjs';

const BARRIER = `SELECT pg_logical_emit_message(true, 'latchkey', '')`;
const SYNCS = `SELECT sum(fsyncs)::float8 AS syncs FROM pg_stat_io WHERE object = 'wal' AND fsyncs IS NOT NULL`;

/**
 * Commits from many connections at once. Each commit waits for the disk.
 * @param {string} databaseUrl @param {{ connections: number, seconds: number }} load
 */
export async function commitCosts(databaseUrl, { connections, seconds }) {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: databaseUrl }));
  await Promise.all(clients.map((client) => client.connect()));
  const [watcher] = /** @type {[pg.Client]} */ (clients);
  const pids = await Promise.all(clients.map(backendPid));
  const syncs = async () => {
    await watcher.query('SELECT pg_stat_force_next_flush()');
    return (await watcher.query(SYNCS)).rows[0].syncs;
  };
  const before = { syncs: await syncs(), bytes: await walBytes(watcher) };
  let commits = 0;
  const began = performance.now();
  const commit = async (/** @type {pg.Client} */ client) => {
    for (; performance.now() < began + seconds * 1000; commits += 1)
      await client.query({ name: 'commit', text: BARRIER });
  };
  const counters = { backends: () => sum(pids.map(cpuSeconds)) };
  const { spent } = await cpuOf(counters, () => Promise.all(clients.map(commit)));
  const taken = (performance.now() - began) / 1000;
  const bytes = (await walBytes(watcher)) - before.bytes;
  // A session reports its statistics only after it has been idle for a while.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const synced = (await syncs()) - before.syncs;
  await Promise.all(clients.map((client) => client.end()));
  return {
    connections,
    commitsPerSecond: commits / taken,
    syncsPerSecond: synced / taken,
    walBytes: bytes / commits,
    micros: (spent.backends * 1e6) / commits,
  };
}
