import { afterAll, beforeAll, expect } from '@jest/globals';
import { CommandHost, type CommandOptions } from './command-line.js';
import { type Service, sharedService } from './service.js';
import { buildService } from './service-process.js';

/**
 * A service, and a shell for the command line on its database, while the tests of the calling `describe` run.
 * @param start the service that its suites share, by default
 * @param settings of each command, next to DATABASE_URL
 */
export function serviceWithShell(start: () => Promise<Service> = sharedService, settings: Record<string, string> = {}) {
  const service = {} as Service;
  let host: CommandHost | undefined;
  beforeAll(async () => {
    await buildService();
    Object.assign(service, await start());
    host = CommandHost.start();
  });
  afterAll(async () => {
    host?.stop();
    await service.stop?.();
  });

  const env = () => ({ DATABASE_URL: service.databaseUrl, ...settings });
  const latchkey = (args: readonly string[], options: Omit<CommandOptions, 'cwd'> = {}) =>
    host!.latchkey(args, { ...options, env: { ...env(), ...options.env } });
  /** Runs a command that must succeed, and returns its JSON. */
  const done = async (args: readonly string[], options?: Omit<CommandOptions, 'cwd'>) => {
    const { code, out, err } = await latchkey([...args, '--json'], options);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };
  return { service, env, latchkey, done };
}
