import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { assertPortsFree, freePort } from '../../../scripts/lib/ports.mjs';
import { EchoBackend } from '#test/doors/echo-backend.js';
import { OwnPostgres } from '#test/faults/own-postgres.js';
import { startRedis } from '#test/support/stores/redis.mjs';
import { sql } from '#test/support/stores/sql.js';
import { RootShell } from './root-shell.js';

/** A machine for the commands in docs/operate.md. Everything on it is real except systemd, and its files are in a folder. */
export class Machine {
  private readonly folder = mkdtempSync(join(tmpdir(), 'machine-'));
  private readonly bin = join(this.folder, 'bin');
  /** Pairs of a path or address on the page and its replacement on this machine. */
  private readonly places: [string, string][] = [];
  private readonly undo: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })];
  private shell!: RootShell;
  /** Stands for port 80. */
  plainPort!: number;
  postgres!: OwnPostgres;

  static async start(): Promise<Machine> {
    const machine = new Machine();
    try {
      await machine.open();
      return machine;
    } catch (error) {
      await machine.stop();
      throw error;
    }
  }

  private async open(): Promise<void> {
    this.postgres = await OwnPostgres.start();
    this.undo.push(() => this.postgres.remove());
    const server = new URL(this.postgres.url);
    server.pathname = '/postgres';
    // The page creates its own database.
    await sql(server.href, 'ALTER DATABASE latchkey RENAME TO another');
    const redis = await startRedis(join(this.folder, 'redis'));
    this.undo.push(() => redis.stop());
    const backend = await EchoBackend.start();
    this.undo.push(() => backend.stop());
    const [http, grpc, metrics, tls, plain] = await decades();
    this.plainPort = Number(`${plain}1`);
    this.places.push(
      ['/opt/latchkey', root],
      ['/etc/latchkey', join(this.folder, 'etc')],
      ['/etc/systemd/system', join(this.folder, 'units')],
      ['/etc/caddy', join(this.folder, 'caddy')],
      ['/etc/nginx/conf.d', join(this.folder, 'nginx')],
      ['/usr/local/bin', this.bin],
      ['/usr/bin/node', process.execPath],
      ['127.0.0.1:5432', server.host],
      ['127.0.0.1:6379', `127.0.0.1:${redis.port}`],
      ['127.0.0.1:8000', backend.address],
      ...['1', '2', '%i', '$instance'].map((n): [string, string] => [`300${n}`, `${http}${n}`]),
      // Caddy itself certifies the names, because no public authority certifies names of this machine.
      ['auto_https', `http_port ${this.plainPort}\nskip_install_trust\nadmin off\nauto_https`],
      ['5005%i', `${grpc}%i`],
      ...['1', '2', '%i'].map((n): [string, string] => [`909${n}`, `${metrics}${n}`]),
      ['keys.example.com', `keys.localhost:${tls}1`],
      ['api.example.com', `api.localhost:${tls}1`],
    );
    for (const name of ['bin', 'units', 'caddy', 'nginx', 'etc']) mkdirSync(join(this.folder, name));
    this.writeFiles();
    this.shell = new RootShell(this.folder, server);
    this.undo.push(() => this.shell.close());
  }

  private writeFiles(): void {
    cpSync(join(root, 'deploy'), join(this.folder, 'deploy'), { recursive: true });
    const files = [
      'systemd/latchkey@.service',
      'systemd/restart-instances',
      'forward-auth/Caddyfile',
      'caddy/keys.Caddyfile',
    ];
    for (const file of files) {
      const path = join(this.folder, 'deploy', file);
      // The timeouts are for production. On a busy machine a slow answer is not an outage.
      const text = readFileSync(path, 'utf8').replaceAll(/(_timeout )\ds/g, '$160s');
      writeFileSync(path, this.here(text));
    }
  }

  /** A text of the page with the paths and addresses of this machine. */
  here(text: string): string {
    return this.places.reduce((all, [there, here]) => all.replaceAll(there, () => here), text);
  }

  /** Runs blocks in the same shell, and returns the output of each. Throws if a command fails. */
  paste(blocks: readonly string[]): Promise<string[]> {
    return this.shell.paste(
      blocks.map((block) => this.here(block).replaceAll(/(?<= )deploy\//g, `${this.folder}/deploy/`)),
    );
  }

  logs(): string {
    return this.shell.logs();
  }

  read(place: string): string {
    return readFileSync(this.here(place), 'utf8');
  }

  async stop(): Promise<void> {
    for (const step of this.undo.reverse()) await step();
  }
}

/** Five times all digits but the last of two free ports that end with 1 and 2. */
async function decades(): Promise<[string, string, string, string, string]> {
  const found = new Set<string>();
  while (found.size < 5) {
    const tens = String(Math.floor((await freePort()) / 10));
    const areFree = assertPortsFree('127.0.0.1', { one: `${tens}1`, two: `${tens}2` }, 0).then(
      () => true,
      () => false,
    );
    if (await areFree) found.add(tens);
  }
  return [...found] as [string, string, string, string, string];
}
