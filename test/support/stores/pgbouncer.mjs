import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { until } from '../../../scripts/lib/wait.mjs';
import { cleanEnvironment, identityFor } from '../../../scripts/postgres/place.mjs';
import { searchPath } from '../../../scripts/testing/programs.mjs';

const STARTS_WITHIN_MS = 10_000;

/** @typedef {Readonly<Record<string, string>>} Settings of PgBouncer */

/** As deploy/pgbouncer/pgbouncer.ini has them. @type {Settings} */
const SETTINGS = { pool_mode: 'transaction', max_client_conn: '500', server_login_retry: '0.2' };

/**
 * A PgBouncer in front of a PostgreSQL, for all of its databases, as the user of one URL. It always starts on the same
 * port.
 */
export class PgBouncer {
  #folder;
  #port;
  #server;
  #settings;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;

  /**
   * @param {string} folder
   * @param {number} port
   * @param {URL} server
   * @param {Settings} settings
   */
  constructor(folder, port, server, settings) {
    this.#folder = folder;
    this.#port = port;
    this.#server = server;
    this.#settings = settings;
  }

  /**
   * @param {string} postgresUrl
   * @param {Settings} [settings] in addition to those that tests need
   */
  static async before(postgresUrl, settings = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const bouncer = new PgBouncer(folder, await freePort(), new URL(postgresUrl), settings);
    bouncer.#configure();
    await bouncer.start();
    return bouncer;
  }

  /**
   * The same database through PgBouncer.
   * @param {string} postgresUrl
   */
  instead(postgresUrl) {
    const url = new URL(postgresUrl);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  /**
   * Sends a command to its console: PAUSE, RESUME, KILL and the like.
   * @param {string} text
   * @returns {Promise<Record<string, unknown>[]>}
   */
  async command(text) {
    const url = new URL(this.instead(this.#server.href));
    url.pathname = '/pgbouncer';
    const console = new pg.Client({ connectionString: url.href });
    // A pool that is stopped ends the connection, perhaps after the answer.
    console.on('error', () => undefined);
    await console.connect();
    try {
      return (await console.query(text)).rows;
    } finally {
      await console.end();
    }
  }

  /**
   * Connects to another server from now on, like an address that moves with the primary.
   * @param {string} postgresUrl
   */
  async switchTo(postgresUrl) {
    this.#server = new URL(postgresUrl);
    this.#configure();
    await this.command('RELOAD');
    await this.command('RECONNECT');
  }

  async start() {
    const log = openSync(join(this.#folder, 'log'), 'a');
    const child = spawn('pgbouncer', [join(this.#folder, 'pgbouncer.ini')], {
      ...identityFor(this.#folder),
      cwd: '/',
      env: { ...cleanEnvironment, PATH: searchPath() },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    let isOver = false;
    child.once('exit', () => (isOver = true)).once('error', () => (isOver = true));
    const answers = () => this.command('SHOW VERSION').catch(() => undefined);
    if (!(await until(async () => isOver || (await answers()), STARTS_WITHIN_MS)) || isOver) {
      throw new Error(`pgbouncer did not start: ${this.log().trim() || 'is it installed?'}`);
    }
  }

  log() {
    return readFileSync(join(this.#folder, 'log'), 'utf8');
  }

  /** @param {'SIGSTOP' | 'SIGCONT'} name */
  signal(name) {
    this.#child?.kill(name);
  }

  /**
   * Ends PgBouncer at once, so that connections break.
   * @param {'SIGTERM' | 'SIGKILL'} [signal]
   */
  async end(signal = 'SIGTERM') {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async remove() {
    await this.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #configure() {
    const { hostname, port, username, password } = this.#server;
    const [ini, users] = [join(this.#folder, 'pgbouncer.ini'), join(this.#folder, 'users.txt')];
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: this.#port,
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      admin_users: username,
      pidfile: join(this.#folder, 'pgbouncer.pid'),
      ...SETTINGS,
      ...this.#settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(ini, `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`);
    writeFileSync(users, `"${username}" "${password}"\n`);
    const { uid, gid } = identityFor(this.#folder);
    chmodSync(this.#folder, 0o700);
    if (uid !== undefined && gid !== undefined)
      for (const path of [this.#folder, ini, users]) chownSync(path, uid, gid);
  }
}
