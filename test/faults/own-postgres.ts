import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { until } from '../../scripts/lib/wait.mjs';
import { postgresBinaries } from '../../scripts/postgres/binaries.mjs';
import { cleanEnvironment, identityFor } from '../../scripts/postgres/identity.mjs';
import { childrenOf, isRunning } from '../support/processes/processes.js';

const HANGS_AFTER_MS = 60_000;

/** A PostgreSQL of one suite, which may damage it. It always starts on the same port. */
export class OwnPostgres {
  private constructor(
    private readonly folder: string,
    readonly url: string,
    private readonly release: () => Promise<void>,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    // PostgreSQL's user must be able to pass through it.
    chmodSync(folder, 0o711);
    const { url, stop } = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } });
    return new OwnPostgres(folder, url, stop);
  }

  /** Shuts it down in order: sessions are cut, nothing is lost. */
  async stop(): Promise<void> {
    const pid = this.pid();
    // Without this, a missing pid file would make it 0: our own process group.
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
    // The next start would take a process that is dead but not yet removed for a living one.
    const isBuried = () => !existsSync(`/proc/${pid}`);
    if (!(await until(() => isBuried() && !all.some(isRunning), HANGS_AFTER_MS)))
      throw new Error('PostgreSQL does not die');
  }

  /**
   * Starts it after a stop, as an operator would.
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
    if (!(await until(() => this.isReady(), HANGS_AFTER_MS))) throw new Error('PostgreSQL does not come back');
  }

  /** Makes it a standby from the next start on, until it is promoted. */
  becomeStandby(): void {
    const file = join(this.cluster, 'standby.signal');
    writeFileSync(file, '');
    const { uid, gid } = statSync(this.cluster);
    chownSync(file, uid, gid);
  }

  /** Stops every process of it, like a machine that hangs: connections stay open, nothing is answered. */
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

/** A process that has ended in the meantime counts as stopped. */
function signal(pid: number, name: NodeJS.Signals): void {
  if (isRunning(pid)) process.kill(pid, name);
}
