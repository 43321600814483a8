import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { cleanEnvironment, identityFor } from '../../../scripts/postgres/place.mjs';
import { searchPath } from '../../../scripts/testing/programs.mjs';
import { sql } from './databases.mjs';
import { startServer } from './server-process.mjs';

/** @typedef {Awaited<ReturnType<typeof startPgBouncer>>} PgBouncer */

/** As deploy/pgbouncer/pgbouncer.ini has them. */
const SETTINGS = { pool_mode: 'transaction', max_client_conn: '500', server_login_retry: '0.2' };

/**
 * Starts a PgBouncer in front of a PostgreSQL, for all of its databases, as the user of one URL. It always starts on the
 * same port.
 * @param {string} postgresUrl
 * @param {Readonly<Record<string, string>>} [settings] in addition to those that tests need
 */
export async function startPgBouncer(postgresUrl, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const [ini, users, log] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt'), join(folder, 'log')];
  const port = await freePort();
  const identity = identityFor(folder);
  let server = new URL(postgresUrl);
  /**
   * The same database through PgBouncer.
   * @param {string} url
   */
  const instead = (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;

  const configure = () => {
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      admin_users: server.username,
      pidfile: join(folder, 'pgbouncer.pid'),
      ...SETTINGS,
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const to = `* = host=${server.hostname} port=${server.port}`;
    writeFileSync(ini, `[databases]\n${to}\n[pgbouncer]\n${lines.join('\n')}\n`);
    writeFileSync(users, `"${server.username}" "${server.password}"\n`);
    chmodSync(folder, 0o700);
    const { uid, gid } = identity;
    if (uid !== undefined && gid !== undefined) for (const path of [folder, ini, users]) chownSync(path, uid, gid);
  };

  /**
   * Sends a command to its console: PAUSE, RESUME, KILL and the like.
   * @param {string} text
   */
  const command = (text) => sql(Object.assign(new URL(instead(server.href)), { pathname: '/pgbouncer' }).href, text);

  configure();
  const start = () =>
    startServer('pgbouncer', [ini], {
      ...identity,
      cwd: '/',
      env: { ...cleanEnvironment, PATH: searchPath() },
      log,
      answers: () => command('SHOW VERSION').catch(() => undefined),
    });
  let running = await start();
  return {
    instead,
    command,
    /**
     * Connects to another server from now on, like an address that moves with the primary.
     * @param {string} url
     */
    switchTo: async (url) => {
      server = new URL(url);
      configure();
      await command('RELOAD');
      await command('RECONNECT');
    },
    start: async () => void (running = await start()),
    signal: (/** @type {NodeJS.Signals} */ name) => running.signal(name),
    /** Ends PgBouncer at once, so that connections break. */
    end: (/** @type {'SIGTERM' | 'SIGKILL'} */ name = 'SIGTERM') => running.end(name),
    remove: async () => {
      await running.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
