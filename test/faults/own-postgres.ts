import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { until } from '../../scripts/lib/wait.mjs';
import { postgresBinaries } from '../../scripts/postgres/binaries.mjs';
import { cleanEnvironment, identityFor } from '../../scripts/postgres/identity.mjs';
import { childrenOf, isRunning } from '../support/processes.js';

/** A PostgreSQL for one suite to maltreat. It comes back on the port where it was. */
export class OwnPostgres {
  private constructor(
    private readonly folder: string,
    readonly url: string,
    private readonly release: () => Promise<void>,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    // PostgreSQL's user passes through it.
    chmodSync(folder, 0o711);
    const { url, stop } = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } });
    return new OwnPostgres(folder, url, stop);
  }

  /** Ends it in order: sessions are cut, nothing is lost. */
  async stop(): Promise<void> {
    const pid = this.pid();
    // Without this, a missing pid file would make it 0: our own process group.
    if (!isRunning(pid)) throw new Error('PostgreSQL is not running');
    process.kill(pid, 'SIGINT');
    if (!(await until(() => !isRunning(pid), 15_000))) throw new Error('PostgreSQL does not stop');
  }

  /** Ends all of its processes at once, as a machine does that is out of memory: nothing is flushed or said. */
  async kill(): Promise<void> {
    const pid = this.pid();
    if (!isRunning(pid)) throw new Error('PostgreSQL is not running');
    // So that it starts no process that would be missed.
    process.kill(pid, 'SIGSTOP');
    const all = [pid, ...childrenOf(pid)];
    for (const process_ of all) signal(process_, 'SIGKILL');
    // Another start takes one that is dead but not yet buried for alive.
    const isBuried = () => !existsSync(`/proc/${pid}`);
    if (!(await until(() => isBuried() && !all.some(isRunning), 15_000))) throw new Error('PostgreSQL does not die');
  }

  /**
   * After a stop, as an operator would start it.
   * @param env for a clock of its own
   */
  async startAgain(env: NodeJS.ProcessEnv = {}): Promise<void> {
    if (isRunning(this.pid())) return;
    const identity = identityFor(this.cluster);
    const { postgres } = postgresBinaries({ checkout: root, stateDir: '/var/lib/latchkey', identity });
    const port = new URL(this.url).port;
    const options = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
    const words = options.flatMap((option) => ['-c', option]);
    const as = { ...identity, cwd: '/', env: { ...cleanEnvironment, ...env }, stdio: 'ignore' as const };
    spawn(postgres, ['-D', this.cluster, ...words], as).unref();
    if (!(await until(() => this.isReady(), 15_000))) throw new Error('PostgreSQL does not come back');
  }

  /** From the next start on it is a standby, until it is promoted. */
  becomeStandby(): void {
    const file = join(this.cluster, 'standby.signal');
    writeFileSync(file, '');
    const { uid, gid } = statSync(this.cluster);
    chownSync(file, uid, gid);
  }

  /** Holds every process of it still, as a machine that hangs does: connections stay open, nothing is answered. */
  pause(): void {
    const pid = this.pid();
    for (const process_ of [pid, ...childrenOf(pid)]) signal(process_, 'SIGSTOP');
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

  private pidFile(): string[] {
    try {
      return readFileSync(join(this.cluster, 'postmaster.pid'), 'utf8').split('\n');
    } catch {
      return [];
    }
  }

  private pid(): number {
    return Number(this.pidFile()[0] ?? 0);
  }

  private isReady(): boolean {
    const status = this.pidFile()[7]?.trim();
    return isRunning(this.pid()) && (status === 'ready' || status === 'standby');
  }
}

/** A process that has ended meanwhile is as still as it gets. */
function signal(pid: number, name: NodeJS.Signals): void {
  if (isRunning(pid)) process.kill(pid, name);
}
