import pg from 'pg';
import { gauge, type Instrument, type Labels } from '#infrastructure/telemetry/instrument.js';
import { type ClientConfig, PrimaryClient } from './connection.js';
import { connectionError } from './errors.js';
import type { Primary } from './primary.js';

/** How long the end of a pool waits for PostgreSQL before it drops the connections that are left. */
export const END_TIMEOUT_MS = 1000;

export type PoolConfig = Omit<pg.PoolConfig, 'Client' | 'onConnect'> & Pick<ClientConfig, 'answerTimeoutMs'>;
type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (release?: boolean | Error) => void,
) => void;

/** When it can't give a connection, the error is `unavailable`, unless PostgreSQL gave the reason. */
export class PrimaryPool extends pg.Pool {
  private readonly open: Set<PrimaryClient>;

  /** @param setUp prepares a new connection; when it throws, the connection is dropped */
  constructor(primary: Primary, config: PoolConfig, setUp: (client: PrimaryClient) => Promise<void>) {
    const open = new Set<PrimaryClient>();
    super({
      ...config,
      Client: class extends PrimaryClient {
        constructor(given?: ClientConfig) {
          super(primary, given ?? {});
          open.add(this.once('end', () => open.delete(this)));
        }
      },
      onConnect: async (connected) => {
        const client = connected as PrimaryClient;
        try {
          await setUp(client);
        } catch (error) {
          client.drop();
          throw error;
        }
      },
    });
    this.open = open;
    // Reports that an idle connection was lost. The pool has already removed it.
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<pg.PoolClient> | void {
    if (!done) return super.connect().catch((error: unknown) => Promise.reject(connectionError(error)));
    super.connect((error, client, release) => done(error && (connectionError(error) as Error), client, release));
  }

  /** Statements under way get a second. Then the connections are dropped, so that a silent PostgreSQL delays no stop. */
  override end(): Promise<void>;
  override end(done: () => void): void;
  override end(done?: () => void): Promise<void> | void {
    setTimeout(() => this.open.forEach((client) => client.drop()), END_TIMEOUT_MS).unref();
    return done ? super.end(done) : super.end();
  }
}

type Counted = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'> & { readonly options: { max: number } };

/** @param purpose becomes a label */
export function poolInstruments(purpose: string, pool: () => Counted): Instrument[] {
  const labelled = (value: number, labels: Labels = {}) => [{ pool: purpose, ...labels }, value] as const;
  return [
    gauge('latchkey_postgres_connections', 'Connections to PostgreSQL by pool and state (used, idle)', () => [
      labelled(pool().totalCount - pool().idleCount, { state: 'used' }),
      labelled(pool().idleCount, { state: 'idle' }),
    ]),
    gauge('latchkey_postgres_connections_max', 'Connections that a pool may open', () => [
      labelled(pool().options.max),
    ]),
    gauge('latchkey_postgres_calls_waiting', 'Calls that wait for a connection of their pool', () => [
      labelled(pool().waitingCount),
    ]),
  ];
}
