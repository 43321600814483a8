import { freePort } from '../../scripts/lib/ports.mjs';
import { createDatabase } from './databases.mjs';
import { connectClients, type Clients } from './grpc-clients.js';
import { PATIENT } from './patience.mjs';
import { Person } from './person.js';
import { whereIs } from './where-is.js';

interface Addresses {
  readonly url: string;
  readonly grpcTarget: string;
  readonly databaseUrl: string;
}

export interface Service extends Addresses {
  /** With the demo service identities. */
  readonly clients: Clients;
  /** A person with their own cookies, not signed in yet. */
  person(): Person;
  /** Of a shared one: lets go of it. */
  stop(): Promise<void>;
}

/**
 * The service that the suites of this worker share, one after the other: a process of its own with demo values, cheap
 * passwords and no other setting. A suite makes its own owners, and needs its own service when it looks at metrics or at whole tables.
 */
export async function sharedService(): Promise<Service> {
  const where = await whereIs<Addresses>(`service/${process.env['JEST_WORKER_ID'] ?? '1'}`);
  return reach(where, () => Promise.resolve());
}

/**
 * Starts the real service in this process, with cheap passwords, and with a database of its own unless one is given (for
 * a second instance).
 * @param env in addition to demo values and free ports
 */
export async function startService(env: NodeJS.ProcessEnv = {}): Promise<Service> {
  // Loaded where it is needed: suites that share a service start in a third of the time without it.
  const [{ readConfig }, { startLatchkey }, { cheapPasswords }] = await Promise.all([
    import('../../src/config/config.js'),
    import('../../src/composition/start.js'),
    import('./cheap-passwords.js'),
  ]);
  const database = env['DATABASE_URL'] ? undefined : await createDatabase();
  const databaseUrl = env['DATABASE_URL'] ?? database!.url;
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const config = readConfig({
    DEMO: '1',
    LOG_LEVEL: 'silent',
    DATABASE_URL: databaseUrl,
    ...PATIENT,
    HTTP_PORT: String(httpPort),
    GRPC_PORT: String(grpcPort),
    ...env,
  });
  const latchkey = await startLatchkey(config, cheapPasswords());
  const where = { url: `http://127.0.0.1:${config.httpPort}`, grpcTarget: `127.0.0.1:${config.grpcPort}`, databaseUrl };
  return reach(where, async () => {
    await latchkey.stop();
    await database?.drop();
  });
}

function reach(where: Addresses, stop: () => Promise<void>): Service {
  const clients = connectClients(where.grpcTarget);
  return {
    ...where,
    clients,
    person: () => new Person(where.url),
    stop: () => {
      clients.close();
      return stop();
    },
  };
}
