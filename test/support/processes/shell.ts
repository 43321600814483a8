import { afterAll, beforeAll, expect } from '@jest/globals';
import { whereIs, worker } from '../jest/where-is.js';
import type { CommandEnd, CommandOptions } from './command-line.js';
import { order } from './hosted-service.mjs';
import { type Service, sharedService } from './service.js';

type Options = Omit<CommandOptions, 'cwd'>;
/** What a host of commands needs. */
export type Order = { readonly args: readonly string[] } & Required<Options>;

/**
 * Runs the built `latchkey` in a process that runs the commands of many suites (host.mjs), for suites about what it does. A
 * process for each command would load its modules each time.
 */
export async function hostedLatchkey(args: readonly string[], { env = {}, input = '' }: Options = {}) {
  const { url } = await whereIs<{ url: string }>(`commands/${worker}`);
  const body = JSON.stringify({ args, env, input } satisfies Order);
  return JSON.parse(await order(`${url}/commands`, { method: 'POST', body })) as CommandEnd;
}

/**
 * A service, and a shell for the command line on its database, while the tests of the calling `describe` run.
 * @param start the service that its suites share, by default
 * @param settings of each command, next to DATABASE_URL
 */
export function serviceWithShell(start: () => Promise<Service> = sharedService, settings: Record<string, string> = {}) {
  const service = {} as Service;
  beforeAll(async () => void Object.assign(service, await start()));
  afterAll(() => service.stop?.());

  const env = () => ({ DATABASE_URL: service.databaseUrl, ...settings });
  const latchkey = (args: readonly string[], options: Options = {}) =>
    hostedLatchkey(args, { ...options, env: { ...env(), ...options.env } });
  /** Runs a command that must succeed, and returns its JSON. */
  const done = async (args: readonly string[], options?: Options) => {
    const { code, out, err } = await latchkey([...args, '--json'], options);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };
  return { service, env, latchkey, done };
}
