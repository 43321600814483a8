import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newOwner, openApplication, outcomeOf, times, type Application } from '../support/application/application.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { sql } from '../support/stores/sql.js';

const OF_THE_POOL = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'latchkey'`;

describe('a connection to PostgreSQL that is cut', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let proxy: Proxy;
  let app: Application;
  let ownerId: string;
  beforeEach(async () => {
    database = await createDatabase();
    proxy = await Proxy.to(database.url);
    app = await openApplication(proxy.url);
    ({ id: ownerId } = await newOwner(app));
  });
  afterEach(async () => {
    await app.close();
    proxy.close();
    await database.drop();
  });

  test('makes a transaction between two statements unavailable, and none of its changes is kept', async () => {
    const call = app.accounts.transaction(ownerId, async (transaction) => {
      transaction.account!.suspend();
      await transaction.saveAccount(transaction.account!);
      await sql(database.url, `SELECT pg_terminate_backend(pid) ${OF_THE_POOL}`);
      await eventually(async () => (await sql(database.url, `SELECT 1 ${OF_THE_POOL}`)).length === 0);
      await transaction.openKeys();
    });
    expect(await outcomeOf(call)).toBe('unavailable');
    expect((await app.accounts.find(ownerId))?.status).toBe('active');
  });

  test('ends its call and not the process, also when the cut comes with the answer that the server is no standby', async () => {
    proxy.onVerified = () => void sql(database.url, `SELECT pg_terminate_backend(pid) ${OF_THE_POOL}`);
    // One call uses the idle connection, the others open new ones.
    const outcomes = await Promise.all(times(3, () => outcomeOf(app.accounts.find(ownerId))));
    expect(outcomes).toContain('unavailable');
    for (const outcome of outcomes) expect(['ok', 'unavailable']).toContain(outcome);
    proxy.onVerified = undefined;
    await eventually(async () => (await outcomeOf(app.accounts.find(ownerId))) === 'ok');
  });
});

/**
 * A relay in front of PostgreSQL. It holds the answer to a connection's first statement until the connection has ended.
 */
class Proxy {
  onVerified: (() => void) | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(databaseUrl: string): Promise<Proxy> {
    const [url, { port, hostname }] = [new URL(databaseUrl), new URL(databaseUrl)];
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url.port = String((server.address() as AddressInfo).port);
    const proxy = new Proxy(server, url.href);
    server.on('connection', (near) => {
      const far = connect(Number(port), hostname);
      let heldBack: Buffer[] | undefined;
      near.on('data', (chunk) => {
        if (proxy.onVerified && chunk.includes('pg_is_in_recovery')) heldBack = [];
        far.write(chunk);
      });
      far.on('data', (chunk) => {
        if (!heldBack) return void near.write(chunk);
        if (heldBack.push(chunk) === 1) proxy.onVerified?.();
      });
      far.on('close', () => near.end(Buffer.concat(heldBack ?? [])));
      near.on('close', () => far.destroy());
      for (const socket of [near, far]) socket.on('error', () => undefined);
    });
    return proxy;
  }

  close(): void {
    this.server.close();
  }
}
