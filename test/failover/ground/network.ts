import { randomInt } from 'node:crypto';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { searchPath } from '../../../scripts/lib/search-path.mjs';
import { eventually } from '../../support/eventually.js';
import { isRunning } from '../../support/processes/processes.js';

const PREFIX = 'latchkey-';

/**
 * Machines of one test, each a network namespace of this machine, joined by a bridge in one more. This machine has the
 * address .254 there; nothing leads anywhere else. The range is the one that is kept for tests of networks (RFC 2544).
 */
export class Network {
  private constructor(
    private readonly name: string,
    private readonly range: string,
  ) {}

  static open(): Network {
    removeWhatDied();
    const taken = ip('-o', 'address');
    const numbers = Array.from({ length: 256 }, (_, index) => index).filter((n) => !taken.includes(` 198.18.${n}.`));
    const range = `198.18.${numbers[randomInt(numbers.length)]!}`;
    const network = new Network(`${PREFIX}${process.pid}`, range);
    const { middle } = network;
    ip('netns', 'add', middle);
    inside(middle, 'ip', 'link', 'add', 'bridge', 'type', 'bridge');
    inside(middle, 'ip', 'link', 'set', 'bridge', 'up');
    ip('link', 'add', network.here, 'type', 'veth', 'peer', 'name', 'here', 'netns', middle);
    inside(middle, 'ip', 'link', 'set', 'here', 'master', 'bridge', 'up');
    ip('address', 'add', `${range}.254/24`, 'dev', network.here);
    ip('link', 'set', network.here, 'up');
    return network;
  }

  /** @param number the last part of its address */
  machine(number: number): Machine {
    const name = `${this.name}-${number}`;
    const address = `${this.range}.${number}`;
    const port = `m${number}`;
    ip('netns', 'add', name);
    ip('link', 'add', port, 'netns', this.middle, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    inside(this.middle, 'ip', 'link', 'set', port, 'master', 'bridge', 'up');
    inside(name, 'ip', 'address', 'add', `${address}/24`, 'dev', 'eth0');
    inside(name, 'ip', 'link', 'set', 'eth0', 'up');
    inside(name, 'ip', 'link', 'set', 'lo', 'up');
    const plug = (state: 'up' | 'down') => void inside(this.middle, 'ip', 'link', 'set', port, state);
    return new Machine(name, address, plug);
  }

  /** Ends everything that runs on its machines. */
  async close(): Promise<void> {
    await removeNamespaces(this.name);
  }

  private get middle(): string {
    return `${this.name}-bridge`;
  }

  /** An interface's name is short. */
  private get here(): string {
    return `lk${process.pid}`;
  }
}

/** A machine with its own address, whose programs can be stopped, and whose cable can be pulled. */
export class Machine {
  constructor(
    private readonly name: string,
    readonly address: string,
    private readonly plug: (state: 'up' | 'down') => void,
  ) {}

  /**
   * Starts a program, which ends with this process.
   * @param log the file that its output goes to
   */
  start(user: string, command: readonly string[], log: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
    const as = ['setpriv', '--reuid', user, '--regid', user, '--clear-groups', '--pdeathsig', 'KILL'];
    const output = openSync(log, 'a');
    const child = spawn('ip', ['netns', 'exec', this.name, ...as, ...command], {
      cwd: '/',
      env: { PATH: searchPath(), LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    return child;
  }

  /** @param command of which processes; all of them by default */
  pids(command?: string): number[] {
    return pidsIn(this.name).filter((pid) => command === undefined || commandOf(pid) === command);
  }

  /** Nothing is flushed, nobody is told. Resolves when they are gone. */
  async kill(command?: string): Promise<void> {
    // Stopped first, so that none of them starts another meanwhile.
    this.signal('SIGSTOP', command);
    await killAll(() => this.pids(command));
  }

  /** Everything on it stands still, while its kernel still takes connections. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(command?: string): void {
    this.signal('SIGCONT', command);
  }

  pullCable(): void {
    this.plug('down');
  }

  plugIn(): void {
    this.plug('up');
  }

  private signal(signal: NodeJS.Signals, command?: string): void {
    for (const pid of this.pids(command)) if (isRunning(pid)) process.kill(pid, signal);
  }
}

function ip(...words: string[]): string {
  return execFileSync('ip', words, { encoding: 'utf8', env: { PATH: searchPath() } });
}

const inside = (namespace: string, ...words: string[]) => ip('netns', 'exec', namespace, ...words);

const pidsIn = (namespace: string) => ip('netns', 'pids', namespace).split('\n').filter(Boolean).map(Number);

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

async function killAll(pids: () => readonly number[]): Promise<void> {
  await eventually(async () => {
    const left = pids().filter(isRunning);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    return left.length === 0;
  });
}

/** What an earlier run left when it was killed. */
function removeWhatDied(): void {
  const owners = new Set(namespaces().map((name) => Number(name.slice(PREFIX.length).split('-')[0])));
  for (const owner of owners) if (!isRunning(owner)) void removeNamespaces(`${PREFIX}${owner}`);
}

async function removeNamespaces(of: string): Promise<void> {
  for (const name of namespaces().filter((one) => one.startsWith(`${of}-`))) {
    await killAll(() => pidsIn(name));
    ip('netns', 'delete', name);
  }
}

const namespaces = () =>
  ip('netns', 'list')
    .split('\n')
    .map((line) => line.split(' ')[0]!)
    .filter((name) => name.startsWith(PREFIX));
