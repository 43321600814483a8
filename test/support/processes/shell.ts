import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { root } from '../../../scripts/lib/paths.mjs';
import { type CommandEnd, type CommandOptions, LATCHKEY } from './command-line.js';
import { type Service, sharedService } from './service.js';
import { buildService } from './service-process.js';

type Options = Omit<CommandOptions, 'cwd'>;
/** The message to a host of commands. */
export type Order = { readonly args: readonly string[] } & Required<Options>;

/**
 * Runs the built `latchkey` again and again in one process (command-host.mjs) while the tests of the calling `describe`
 * run, for suites about what it does. A process for each command would load its modules each time.
 */
export function commandHost() {
  let host: ChildProcess;
  let ended: Promise<never>;
  let last: Promise<unknown> = Promise.resolve();
  beforeAll(async () => {
    await buildService();
    const program = join(root, 'test/support/processes/command-host.mjs');
    host = fork(program, [LATCHKEY], { cwd: root, execArgv: [] });
    ended = once(host, 'exit').then((how) => Promise.reject(new Error(`The host of commands ended: ${how}`)));
    ended.catch(() => undefined);
  });
  afterAll(() => host?.disconnect());
  /** Only one command runs at a time. */
  const latchkey = (args: readonly string[], { env = {}, input = '' }: Options = {}): Promise<CommandEnd> => {
    const end = last.then(async () => {
      host.send({ args, env, input } satisfies Order);
      const [message] = await Promise.race([once(host, 'message'), ended]);
      return message as CommandEnd;
    });
    last = end;
    return end;
  };
  return { latchkey };
}

/**
 * A service, and a shell for the command line on its database, while the tests of the calling `describe` run.
 * @param start the service that its suites share, by default
 * @param settings of each command, next to DATABASE_URL
 */
export function serviceWithShell(start: () => Promise<Service> = sharedService, settings: Record<string, string> = {}) {
  const service = {} as Service;
  const host = commandHost();
  beforeAll(async () => void Object.assign(service, await start()));
  afterAll(() => service.stop?.());

  const env = () => ({ DATABASE_URL: service.databaseUrl, ...settings });
  const latchkey = (args: readonly string[], options: Options = {}) =>
    host.latchkey(args, { ...options, env: { ...env(), ...options.env } });
  /** Runs a command that must succeed, and returns its JSON. */
  const done = async (args: readonly string[], options?: Options) => {
    const { code, out, err } = await latchkey([...args, '--json'], options);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };
  return { service, env, latchkey, done };
}
