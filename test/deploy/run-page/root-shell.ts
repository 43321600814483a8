import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { root } from '../../../scripts/lib/paths.mjs';
import { searchPath } from '../../../scripts/testing/programs.mjs';
import { eventually } from '#test/support/eventually.js';
import { LONG_TIMEOUTS } from '#test/support/processes/timeouts.mjs';
import { EQUAL_PRIORITY } from '#test/support/processes/service-process.js';

const MARK = '### pasted';
const UNITS = ['latchkey@1', 'latchkey@2', 'caddy'];

/** Replacements for commands that need root on a whole machine, or the network. */
const STAND_INS = {
  // test/launcher/install.spec.ts tests `npm ci`. Here the packages are already installed.
  npm: 'case "$*" in "ci --ignore-scripts") test -d node_modules ;; "run build") exec node scripts/build.mjs ;; *) exit 2 ;; esac',
  id: 'exit 1',
  useradd: 'test "$*" = "--system --home-dir $CHECKOUT --shell /usr/sbin/nologin latchkey"',
  chown: 'test "$1" = root:latchkey && shift && ls "$@" > /dev/null',
  runuser: 'test "$1 $2 $3" = "-u postgres --" && shift 3 && exec env $POSTGRES "$@"',
  systemctl: `exec ${process.execPath} ${join(root, 'test/deploy/run-page/systemctl.mjs')} "$@"`,
};

/** The shell of root, in the checkout, on a machine whose files are in a folder. */
export class RootShell {
  private readonly shell: ChildProcess;

  /** @param postgres as a superuser */
  constructor(
    private readonly folder: string,
    { hostname, port, username, password }: URL,
  ) {
    const bin = join(folder, 'bin');
    for (const [name, text] of Object.entries(STAND_INS)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    this.shell = spawn('bash', ['-s'], {
      cwd: root,
      env: {
        PATH: [bin, searchPath()].join(delimiter),
        CHECKOUT: root,
        POSTGRES: `PGHOST=${hostname} PGPORT=${port} PGUSER=${username} PGPASSWORD=${password} PGDATABASE=postgres`,
        UNITS: join(folder, 'units'),
        CADDYFILE: join(folder, 'caddy/Caddyfile'),
        CADDY_HOME: join(folder, 'caddy'),
        CURL_CA_BUNDLE: join(folder, 'caddy/caddy/pki/authorities/local/root.crt'),
        SERVICE_EXTRA_ENV: JSON.stringify({ ...LONG_TIMEOUTS, NODE_OPTIONS: EQUAL_PRIORITY }),
      },
      // What systemctl.mjs starts ends when the last of these is closed.
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    });
    this.shell.stdin!.write('exec 2>&1\nset -euo pipefail\n');
  }

  paste(blocks: readonly string[]): Promise<string[]> {
    const { stdin, stdout } = this.shell;
    const ends = new Promise<string[]>((resolve, reject) => {
      let printed = '';
      const hear = (chunk: Buffer) => {
        printed += chunk.toString();
        const parts = printed.split(`${MARK}\n`);
        if (parts.length > blocks.length) resolve(parts.slice(0, -1));
      };
      stdout!.on('data', hear).once('close', () => reject(new Error(printed + this.logs())));
    });
    for (const block of blocks) stdin!.write(`${block}\necho '${MARK}'\n`);
    return ends;
  }

  /** The output of the instances and of Caddy. */
  logs(): string {
    const files = UNITS.map((name) => join(this.folder, 'units', `${name}.log`)).filter((file) => existsSync(file));
    return files.map((file) => `\n--- ${file}\n${readFileSync(file, 'utf8')}`).join('');
  }

  /** Ends the shell and all that it started. */
  async close(): Promise<void> {
    (this.shell.stdio[3] as Writable).end();
    this.shell.stdin!.end();
    const isRunning = (name: string) => existsSync(join(this.folder, 'units', `${name}.pid`));
    await eventually(async () => !UNITS.some(isRunning));
  }
}
