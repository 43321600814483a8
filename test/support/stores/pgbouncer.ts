import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { until } from '../../../scripts/lib/wait.mjs';
import { cleanEnvironment, identityFor } from '../../../scripts/postgres/identity.mjs';
import { searchPath } from '../../../scripts/tools.mjs';
import { sql } from './sql.js';

const STARTS_WITHIN_MS = 10_000;

/** Seconds; 15 by default, which is how long an outage of PostgreSQL would go on for those behind PgBouncer. */
const SETTINGS = { pool_mode: 'transaction', max_client_conn: '500', server_login_retry: '1' };

/** A PgBouncer before a PostgreSQL, for all of its databases, as the user of one URL. It always starts on the same port. */
export class PgBouncer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly server: URL,
  ) {}

  /** @param settings of PgBouncer, besides those that tests need */
  static async before(postgresUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const bouncer = new PgBouncer(folder, await freePort(), new URL(postgresUrl));
    bouncer.configure(settings);
    await bouncer.start();
    return bouncer;
  }

  /** The same database through PgBouncer. */
  instead(postgresUrl: string): string {
    const url = new URL(postgresUrl);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Gives a command to its console: PAUSE, RESUME, KILL and the like. */
  async tell(command: string): Promise<Record<string, string>[]> {
    const console = new URL(this.instead(this.server.href));
    console.pathname = '/pgbouncer';
    return sql(console.href, command);
  }

  async start(): Promise<void> {
    const log = openSync(join(this.folder, 'log'), 'a');
    const child = spawn('pgbouncer', [join(this.folder, 'pgbouncer.ini')], {
      ...identityFor(this.folder),
      cwd: '/',
      env: { ...cleanEnvironment, PATH: searchPath() },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    let isOver = false;
    child.once('exit', () => (isOver = true)).once('error', () => (isOver = true));
    const answers = () => this.tell('SHOW VERSION').catch(() => undefined);
    if (!(await until(async () => isOver || (await answers()), STARTS_WITHIN_MS)) || isOver) {
      throw new Error(`pgbouncer did not start: ${readFileSync(join(this.folder, 'log'), 'utf8').trim()}`);
    }
  }

  /** Ends at once: connections break. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private configure(settings: Readonly<Record<string, string>>): void {
    const { hostname, port, username, password } = this.server;
    const [ini, users] = [join(this.folder, 'pgbouncer.ini'), join(this.folder, 'users.txt')];
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: this.port,
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      admin_users: username,
      pidfile: join(this.folder, 'pgbouncer.pid'),
      ...SETTINGS,
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(ini, `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`);
    writeFileSync(users, `"${username}" "${password}"\n`);
    const { uid, gid } = identityFor(this.folder);
    chmodSync(this.folder, 0o700);
    if (uid !== undefined && gid !== undefined) for (const path of [this.folder, ini, users]) chownSync(path, uid, gid);
  }
}
