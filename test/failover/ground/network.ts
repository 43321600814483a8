import { randomInt } from 'node:crypto';
import { isRunning } from '#test/support/processes/processes.js';
import { inside, ip, killAll, Machine, pidsIn } from './machine.js';

const PREFIX = 'latchkey-';

/**
 * The machines of one test. Each is a network namespace of this machine, and a bridge in another namespace joins them.
 * This machine has the address .254 there, and no route leads anywhere else. The address range is the one reserved for
 * tests of networks (RFC 2544).
 */
export class Network {
  private constructor(
    private readonly name: string,
    private readonly range: string,
  ) {}

  static async open(): Promise<Network> {
    await removeWhatDied();
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

  /** The name of an interface must be short. */
  private get here(): string {
    return `lk${process.pid}`;
  }
}

/** Removes what a killed run, or a failed suite of this process, left behind. */
async function removeWhatDied(): Promise<void> {
  const owners = new Set(namespaces().map((name) => Number(name.slice(PREFIX.length).split('-')[0])));
  const isOver = (owner: number) => owner === process.pid || !isRunning(owner);
  for (const owner of [...owners].filter(isOver)) await removeNamespaces(`${PREFIX}${owner}`);
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
