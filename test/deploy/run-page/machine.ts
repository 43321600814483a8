import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { root } from '../../../scripts/lib/paths.mjs';
import { assertPortsFree, freePort } from '../../../scripts/lib/ports.mjs';
import { searchPath } from '../../../scripts/tools.mjs';
import { EchoBackend } from '../../doors/echo-backend.js';
import { OwnPostgres } from '../../faults/own-postgres.js';
import { eventually } from '../../support/eventually.js';
import { startRedis } from '../../support/redis.mjs';
import { EQUAL_PRIORITY } from '../../support/service-process.js';
import { PATIENT } from '../../support/patience.mjs';
import { sql } from '../../support/sql.js';

const MARK = '### pasted';
const UNITS = ['latchkey@1', 'latchkey@2', 'caddy'];

/** What only root of a whole machine could do, and what needs the network. */
const STAND_INS = {
  // test/launcher/install.spec.ts has `npm ci`; here the packages are there.
  npm: 'case "$*" in ci) test -d node_modules ;; "run build") exec node scripts/build.mjs ;; *) exit 2 ;; esac',
  useradd: 'test "$*" = "--system --home-dir $CHECKOUT --shell /usr/sbin/nologin latchkey"',
  chown: 'test "$1" = root:latchkey && shift && ls "$@" > /dev/null',
  runuser: 'test "$1 $2 $3" = "-u postgres --" && shift 3 && exec env $POSTGRES "$@"',
  systemctl: `exec ${process.execPath} ${join(root, 'test/deploy/run-page/systemctl.mjs')} "$@"`,
};

/** The machine that docs/run.md is pasted into: everything on it is real but systemd, and its files lie in a folder. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'machine-'));
  readonly bin = join(this.folder, 'bin');
  /** What the page has and this machine has elsewhere. */
  private readonly places: [string, string][] = [];
  private readonly undo: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })];
  private shell!: ChildProcess;
  postgres!: OwnPostgres;
  keys = '';
  api = '';

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
    // The page makes its own.
    await sql(server.href, 'ALTER DATABASE latchkey RENAME TO another');
    const redis = await startRedis(join(this.folder, 'redis'));
    this.undo.push(() => redis.stop());
    const backend = await EchoBackend.start();
    this.undo.push(() => backend.stop());
    const [http, grpc, tls] = [await decade(), await decade(), await freePort()];
    this.keys = `https://keys.localhost:${tls}`;
    this.api = `https://api.localhost:${tls}`;
    this.places.push(
      ['/opt/latchkey', root],
      ['/etc/latchkey', join(this.folder, 'etc')],
      ['/etc/systemd/system', join(this.folder, 'units')],
      ['/etc/caddy', join(this.folder, 'caddy')],
      ['/usr/local/bin', this.bin],
      ['/usr/bin/node', process.execPath],
      ['127.0.0.1:5432', server.host],
      ['127.0.0.1:6379', `127.0.0.1:${redis.port}`],
      ['127.0.0.1:8000', backend.address],
      ...['1', '2', '%i', '$instance'].map((n): [string, string] => [`300${n}`, `${http}${n}`]),
      ['5005%i', `${grpc}%i`],
      ['keys.example.com', this.keys.slice('https://'.length)],
      ['api.example.com', this.api.slice('https://'.length)],
    );
    for (const name of ['bin', 'units', 'caddy', 'etc']) mkdirSync(join(this.folder, name));
    this.writeFiles();
    this.shell = this.openShell(server);
    this.undo.push(() => this.shutDown());
  }

  private writeFiles(): void {
    for (const [name, text] of Object.entries(STAND_INS)) {
      writeFileSync(join(this.bin, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(this.bin, name), 0o755);
    }
    cpSync(join(root, 'deploy'), join(this.folder, 'deploy'), { recursive: true });
    for (const file of ['systemd/latchkey@.service', 'forward-auth/Caddyfile']) {
      const path = join(this.folder, 'deploy', file);
      // Timeouts are for production. A busy machine is no outage.
      const text = readFileSync(path, 'utf8').replaceAll(/(_timeout )\ds/g, '$160s');
      writeFileSync(path, this.here(text));
    }
    // No authority of the outside certifies names of this machine: Caddy does.
    const options = '{\nskip_install_trust\nadmin off\nauto_https disable_redirects\n}\n';
    writeFileSync(join(this.folder, 'caddy/main'), `${options}import ${this.folder}/caddy/Caddyfile\n`);
  }

  /** Text of the page as it reads on this machine. */
  here(text: string): string {
    return this.places.reduce((all, [there, here]) => all.replaceAll(there, () => here), text);
  }

  /** Pastes blocks into the one shell, and answers what each of them printed. It throws once a line fails. */
  async paste(blocks: readonly string[]): Promise<string[]> {
    const { stdin, stdout } = this.shell;
    const ends = new Promise<string[]>((resolve, reject) => {
      let told = '';
      const hear = (chunk: Buffer) => {
        told += chunk.toString();
        const parts = told.split(`${MARK}\n`);
        if (parts.length > blocks.length) resolve(parts.slice(0, -1));
      };
      stdout!.on('data', hear).once('close', () => reject(new Error(told + this.logs())));
    });
    for (const block of blocks) {
      stdin!.write(`${this.here(block).replaceAll(/(?<= )deploy\//g, `${this.folder}/deploy/`)}\necho '${MARK}'\n`);
    }
    return ends;
  }

  /** What certifies the names of this machine. */
  get authority(): string {
    return join(this.folder, 'caddy/caddy/pki/authorities/local/root.crt');
  }

  logs(): string {
    const read = (name: string) => {
      try {
        return readFileSync(join(this.folder, 'units', `${name}.log`), 'utf8');
      } catch {
        return '';
      }
    };
    return UNITS.map((name) => `\n--- ${name}\n${read(name)}`).join('');
  }

  read(place: string): string {
    return readFileSync(this.here(place), 'utf8');
  }

  async stop(): Promise<void> {
    for (const step of this.undo.reverse()) await step();
  }

  private openShell({ hostname, port, username, password }: URL): ChildProcess {
    const shell: ChildProcess = spawn('bash', ['-s'], {
      cwd: root,
      env: {
        PATH: [this.bin, searchPath()].join(delimiter),
        CHECKOUT: root,
        POSTGRES: `PGHOST=${hostname} PGPORT=${port} PGUSER=${username} PGPASSWORD=${password} PGDATABASE=postgres`,
        UNITS: join(this.folder, 'units'),
        CADDYFILE: join(this.folder, 'caddy/main'),
        CADDY_HOME: join(this.folder, 'caddy'),
        CURL_CA_BUNDLE: this.authority,
        SERVICE_EXTRA_ENV: JSON.stringify({ ...PATIENT, NODE_OPTIONS: EQUAL_PRIORITY }),
      },
      // What systemctl.mjs starts lives for as long as the last of these.
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    });
    shell.stdin!.write('exec 2>&1\nset -euo pipefail\n');
    return shell;
  }

  /** Ends the shell and all that it started. */
  private async shutDown(): Promise<void> {
    (this.shell.stdio[3] as Writable).end();
    this.shell.stdin!.end();
    const isRunning = (name: string) => existsSync(join(this.folder, 'units', `${name}.pid`));
    await eventually(async () => !UNITS.some(isRunning));
  }
}

/** The digits before the last one of ports of which 1 and 2 are free. */
async function decade(): Promise<string> {
  for (;;) {
    const tens = Math.floor((await freePort()) / 10);
    const isFree = assertPortsFree('127.0.0.1', { one: `${tens}1`, two: `${tens}2` }, 0).then(
      () => true,
      () => false,
    );
    if (await isFree) return String(tens);
  }
}
