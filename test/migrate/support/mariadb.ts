import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../scripts/lib/run.mjs';
import { searchPath } from '../../../scripts/testing/programs.mjs';
import { startServer } from '#test/support/stores/server-process.mjs';

/** A MariaDB of its own, which reads MySQL's queries, on a socket in a temporary folder. */
export class MariaDb {
  private readonly folder = mkdtempSync(join(tmpdir(), 'mariadb-'));
  private readonly socket = join(this.folder, 'socket');
  private readonly env = { ...process.env, PATH: searchPath() };
  private server: Awaited<ReturnType<typeof startServer>> | undefined;

  async start(): Promise<void> {
    const data = ['--no-defaults', '--user=root', `--datadir=${join(this.folder, 'data')}`];
    const made = await run('mariadb-install-db', [...data, '--auth-root-authentication-method=normal'], {
      env: this.env,
    });
    if (made.code !== 0) throw new Error(made.output);
    const args = [...data, `--socket=${this.socket}`, '--skip-networking'];
    this.server = await startServer('mariadbd', args, {
      env: this.env,
      log: join(this.folder, 'log'),
      answers: () => this.run('SELECT 1', 'mysql').then(Boolean, () => false),
    });
  }

  /** Runs statements with the options that docs/migrate.md gives. @returns the printed rows */
  async run(statements: string, database: string): Promise<string> {
    const options = ['--no-defaults', `--socket=${this.socket}`, '--batch', '--raw', '--skip-column-names', database];
    const { code, output } = await run('mariadb', options, { env: this.env, input: statements });
    if (code !== 0) throw new Error(output);
    return output;
  }

  async stop(): Promise<void> {
    await this.server?.end('SIGKILL');
    rmSync(this.folder, { recursive: true });
  }
}
