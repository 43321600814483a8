import type { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { connectClients } from '../callers/grpc-clients.js';
import { prepareService, startInHost } from './hosted-service.mjs';
import { Person } from '../callers/person.js';
import { whereIs, worker } from '../jest/where-is.js';

/** Where a service is reached; `servicesUrl`: its services as JSON. */
type Addresses = Awaited<ReturnType<typeof prepareService>>['addresses'];
export type Service = ReturnType<typeof reach>;

/**
 * The service that the suites of this worker share, one after the other, with demo values and no other settings. A
 * suite creates its own owners. It needs its own service if it looks at metrics or at whole tables.
 */
export async function sharedService(): Promise<Service> {
  return reach(await whereIs<Addresses>(`service/${worker}`), () => Promise.resolve());
}

/**
 * Starts the real service for this suite: the build, in another process, with cheap passwords. It gets its own database
 * unless one is given (for a second instance).
 * @param env in addition to demo values and free ports
 */
export async function startService(env: NodeJS.ProcessEnv = {}): Promise<Service> {
  const [host, prepared] = await Promise.all([whereIs<{ url: string }>(`host/${worker}`), prepareService(env)]);
  return reach(prepared.addresses, await startInHost(host.url, prepared.env), prepared.drop);
}

/**
 * The same in this process, for suites that look at what it prints or at its memory.
 * @param passwords of another cost
 */
export async function startServiceHere(env: NodeJS.ProcessEnv = {}, passwords?: Argon2Passwords): Promise<Service> {
  // Loaded here, because other suites start in a third of the time without it.
  const [{ readConfig }, { startLatchkey }, { cheapPasswords }] = await Promise.all([
    import('#config/config.js'),
    import('#composition/start.js'),
    import('../application/cheap-passwords.js'),
  ]);
  const prepared = await prepareService(env);
  const latchkey = await startLatchkey(readConfig(prepared.env), passwords ?? cheapPasswords());
  return reach(prepared.addresses, () => latchkey.stop(), prepared.drop);
}

function reach(where: Addresses, stop: () => Promise<void>, drop = () => Promise.resolve()) {
  /** With the demo service identities. */
  const clients = connectClients(where.grpcTarget);
  return {
    ...where,
    clients,
    /** A person with their own cookies, not signed in yet. */
    person: () => new Person(where.url),
    /** Stops the service, or releases a shared one. */
    stop: async () => {
      clients.close();
      await stop();
      await drop();
    },
  };
}
