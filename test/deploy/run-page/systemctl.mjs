// Replaces systemd, which containers do not have: it runs the command of the installed unit, and Caddy with the installed
// file. The started processes end when the test closes file descriptor 3.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const { UNITS = '', CADDYFILE = '', CADDY_HOME = '', SERVICE_EXTRA_ENV = '{}', PATH = '' } = process.env;
const [verb, ...names] = process.argv.slice(2).filter((word) => word !== '--now');
const pidFile = (/** @type {string} */ name) => join(UNITS, `${name}.pid`);

/** @type {Readonly<Record<string, (name: string) => unknown>>} */
const verbs = {
  'daemon-reload': () => {},
  enable: start,
  restart: (name) => stop(name).then(() => start(name)),
  stop,
  reload: start,
  // Not a verb of systemctl: the process that supervises one unit.
  supervise,
};
if (!verb || !verbs[verb]) throw new Error(`systemctl ${verb} is not known here`);
for (const name of names) await verbs[verb](name);

/** @param {string} name */
function start(name) {
  const words = [process.argv[1] ?? '', 'supervise', name];
  spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 3] }).unref();
}

/** @param {string} name */
async function stop(name) {
  const pid = Number(readFileSync(pidFile(name), 'utf8'));
  process.kill(pid, 'SIGTERM');
  while (existsSync(pidFile(name))) await pause(20);
}

/** @param {string} name */
function supervise(name) {
  const { command, env, cwd } = name === 'caddy' ? caddy() : unit(name);
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => writeFileSync(join(UNITS, `${name}.log`), chunk, { flag: 'a' }));
  }
  writeFileSync(pidFile(name), String(child.pid));
  child.once('exit', () => {
    rmSync(pidFile(name), { force: true });
    process.exit(0);
  });
  new Socket({ fd: 3 }).resume().once('close', () => child.kill('SIGKILL'));
}

function caddy() {
  const env = { HOME: CADDY_HOME, XDG_DATA_HOME: CADDY_HOME, XDG_CONFIG_HOME: CADDY_HOME };
  return { command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', CADDYFILE], env, cwd: CADDY_HOME };
}

/** @param {string} name such as latchkey@1 */
function unit(name) {
  const [template = '', instance = ''] = name.split('@');
  const text = readFileSync(join(UNITS, `${template}@.service`), 'utf8').replaceAll('%i', instance);
  const all = (/** @type {string} */ key) =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const pairs = all('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
  const env = { ...Object.fromEntries(pairs), ...JSON.parse(SERVICE_EXTRA_ENV) };
  return { command: (all('ExecStart')[0] ?? '').split(' '), env, cwd: all('WorkingDirectory')[0] };
}
