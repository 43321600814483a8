import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { run } from '../../scripts/lib/run.mjs';
import { until } from '../../scripts/lib/wait.mjs';
import { postgresBinaries } from '../../scripts/postgres/binaries.mjs';
import { identityFor } from '../../scripts/postgres/place.mjs';
import { startServer } from '../../scripts/postgres/server.mjs';

const NAME = 'bench';
const STREAMING = `SELECT FROM pg_stat_replication WHERE state = 'streaming'`;

/**
 * Makes a copy of a running PostgreSQL its synchronous standby. From then on, a commit is answered once both have
 * written it to their disks. After `stop`, commits wait for no standby.
 * @param {string} url
 */
export async function startStandby(url) {
  const primary = new pg.Client({ connectionString: url });
  await primary.connect();
  const setting = async (/** @type {string} */ names) => {
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await primary.query('SELECT pg_reload_conf()');
  };
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-standby-'));
  chmodSync(folder, 0o755);
  const cluster = await copy(primary, folder);
  const { username, password, hostname, port } = new URL(url);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=${NAME}`;
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  write(cluster, 'standby.signal', '');
  const identity = identityFor(cluster);
  const { postgres } = postgresBinaries(identity);
  const place = { home: folder, cluster, identity };
  const server = await startServer({ place, postgres, settings: { hot_standby: 'on' }, detached: false });
  const follows = async () => (await primary.query(STREAMING)).rowCount === 1;
  if (!(await until(follows, 30_000))) throw new Error('the standby does not follow');
  await setting(NAME);
  return {
    stop: async () => {
      await setting('');
      await primary.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A base backup, made as PostgreSQL's documentation describes. @param {pg.Client} primary @param {string} folder */
async function copy(primary, folder) {
  const cluster = join(folder, 'cluster');
  const { rows } = await primary.query('SHOW data_directory');
  await primary.query(`SELECT pg_backup_start('bench', true)`);
  const { code, output } = await run('cp', ['-a', rows[0].data_directory, cluster]);
  if (code !== 0) throw new Error(output);
  const stopped = await primary.query('SELECT labelfile FROM pg_backup_stop(false)');
  write(cluster, 'backup_label', stopped.rows[0].labelfile);
  rmSync(join(cluster, 'postmaster.pid'));
  return cluster;
}

/** Writes a file as the user who owns the folder. @param {string} cluster @param {string} name @param {string} text */
function write(cluster, name, text) {
  const file = join(cluster, name);
  writeFileSync(file, text);
  const { uid, gid } = statSync(cluster);
  chownSync(file, uid, gid);
}
