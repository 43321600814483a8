import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { until } from '../../scripts/lib/wait.mjs';
import { postgresBinaries } from '../../scripts/postgres/binaries.mjs';
import { identityFor } from '../../scripts/postgres/place.mjs';
import { isServerOf, readPidFile, startServer, stopOrphan } from '../../scripts/postgres/server.mjs';
import { childrenOf, isRunning } from '../support/processes/processes.js';
import { sql } from '../support/stores/sql.js';

const HANGS_AFTER_MS = 60_000;

/** A PostgreSQL for one suite, which may damage it. It always starts on the same port. */
export class OwnPostgres {
  private constructor(
    private readonly folder: string,
    readonly url: string,
    private readonly release: () => Promise<void>,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const folder = makeFolder();
    const { url, stop } = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } });
    return new OwnPostgres(folder, url, stop);
  }

  /**
   * Starts a copy of it as its standby. From then on, it answers a commit only after the standby has received it.
   * @param name which `synchronous_standby_names` is from now on
   */
  async startStandby(name: string): Promise<OwnPostgres> {
    await sql(this.url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await this.stop();
    const folder = makeFolder();
    // Node's own copy function does not keep the owner.
    if (spawnSync('cp', ['-a', join(this.folder, 'data'), folder]).status !== 0) throw new Error('no copy was made');
    await this.startAgain();
    const { username, password, hostname, port } = new URL(this.url);
    const primary = `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
    const url = new URL(this.url);
    url.port = String(await freePort());
    const standby = new OwnPostgres(folder, url.href, () => Promise.resolve());
    appendFileSync(join(standby.cluster, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
    standby.becomeStandby();
    await standby.startAgain();
    return standby;
  }

  /** Promotes a standby to primary. */
  async promote(): Promise<void> {
    await sql(this.url, 'SELECT pg_promote()');
  }

  /** Shuts it down in order: sessions are cut, nothing is lost. */
  async stop(): Promise<void> {
    const pid = this.pid();
    // Without this, a missing pid file would make it 0, which is our own process group.
    if (!isRunning(pid)) throw new Error('PostgreSQL is not running');
    process.kill(pid, 'SIGINT');
    if (!(await until(() => !isRunning(pid), HANGS_AFTER_MS))) throw new Error('PostgreSQL does not stop');
  }

  /** Kills all of its processes at once, like a machine that is out of memory: nothing is flushed or reported. */
  async kill(): Promise<void> {
    const pid = this.pid();
    if (!isRunning(pid)) throw new Error('PostgreSQL is not running');
    // So that it starts no further process in the meantime.
    process.kill(pid, 'SIGSTOP');
    const all = [pid, ...childrenOf(pid)];
    for (const process_ of all) signal(process_, 'SIGKILL');
    // The next start would mistake a process that is dead but not yet removed for a living one.
    const isReaped = () => !existsSync(`/proc/${pid}`);
    if (!(await until(() => isReaped() && !all.some(isRunning), HANGS_AFTER_MS)))
      throw new Error('PostgreSQL does not end after SIGKILL');
  }

  /**
   * Starts it after a stop, as an operator would.
   * @param env sets another clock
   */
  async startAgain(env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { cluster, folder } = this;
    if (isServerOf(this.pid(), cluster)) return;
    await stopOrphan(cluster);
    const identity = identityFor(cluster);
    const { postgres } = postgresBinaries(identity);
    const place = { home: folder, cluster, identity };
    const settings = { port: new URL(this.url).port, fsync: 'off' };
    await startServer({ place, postgres, settings, env, detached: false });
  }

  /** Makes it a standby from the next start on, until it is promoted. */
  becomeStandby(): void {
    const file = join(this.cluster, 'standby.signal');
    writeFileSync(file, '');
    const { uid, gid } = statSync(this.cluster);
    chownSync(file, uid, gid);
  }

  /** Freezes all of its processes, like a machine that hangs: connections stay open, nothing is answered. */
  pause(): void {
    const pid = this.pid();
    // First its main process, so that it starts no further process in the meantime.
    signal(pid, 'SIGSTOP');
    for (const process_ of childrenOf(pid)) signal(process_, 'SIGSTOP');
  }

  resume(): void {
    const pid = this.pid();
    for (const process_ of [...childrenOf(pid), pid]) signal(process_, 'SIGCONT');
  }

  async remove(): Promise<void> {
    if (isRunning(this.pid())) {
      this.resume();
      await this.stop();
    }
    await this.release();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get cluster(): string {
    return join(this.folder, 'data/postgres/cluster');
  }

  private pid(): number {
    return readPidFile(this.cluster).pid;
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  // PostgreSQL's user must be able to pass through it.
  chmodSync(folder, 0o711);
  return folder;
}

/** A process that has ended in the meantime counts as stopped. */
function signal(pid: number, name: NodeJS.Signals): void {
  if (isRunning(pid)) process.kill(pid, name);
}
