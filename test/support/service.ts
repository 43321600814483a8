import { readConfig } from '../../src/config/config.js';
import { startLatchkey } from '../../src/composition/start.js';
import { freePort } from '../../scripts/lib/ports.mjs';
import { createDatabase } from './databases.mjs';
import { connectClients, type Clients } from './grpc-clients.js';
import { Person } from './person.js';

export interface Service {
  readonly url: string;
  readonly grpcTarget: string;
  readonly databaseUrl: string;
  /** With the demo service identities. */
  readonly clients: Clients;
  /** A person with their own cookies, not signed in yet. */
  person(): Person;
  stop(): Promise<void>;
}

/**
 * Starts the real service in this process, with a database of its own unless one is given (for a second instance).
 * @param env in addition to demo values and free ports
 */
export async function startService(env: NodeJS.ProcessEnv = {}): Promise<Service> {
  const database = env['DATABASE_URL'] ? undefined : await createDatabase();
  const databaseUrl = env['DATABASE_URL'] ?? database!.url;
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const config = readConfig({
    DEMO: '1',
    LOG_LEVEL: 'silent',
    DATABASE_URL: databaseUrl,
    HTTP_PORT: String(httpPort),
    GRPC_PORT: String(grpcPort),
    ...env,
  });
  const latchkey = await startLatchkey(config);
  const url = `http://127.0.0.1:${httpPort}`;
  const grpcTarget = `127.0.0.1:${grpcPort}`;
  const clients = connectClients(grpcTarget);
  return {
    url,
    grpcTarget,
    databaseUrl,
    clients,
    person: () => new Person(url),
    stop: async () => {
      clients.close();
      await latchkey.stop();
      await database?.drop();
    },
  };
}
