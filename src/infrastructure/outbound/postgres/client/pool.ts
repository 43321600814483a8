import pg from 'pg';
import { gauge, type Instrument, type Labels } from '../../../telemetry/instrument.js';
import { type ClientConfig, PrimaryClient } from './connection.js';
import { connectionError } from './errors.js';
import type { Primary } from './primary.js';
import { withTimeout } from './timeout.js';

export interface PoolConfig extends Omit<pg.PoolConfig, 'Client' | 'onConnect'>, Pick<ClientConfig, 'answerTimeoutMs'> {
  /** How long connecting may take, and setting up: instead of `connectionTimeoutMillis`, where it changes. */
  readonly connectTimeoutMs?: () => number;
}

export type PooledClient = PrimaryClient & pg.PoolClient;
type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (release?: boolean | Error) => void,
) => void;

/** A pool of connections to the primary. What keeps it from giving one is `unavailable`, unless PostgreSQL says what it is. */
export class PrimaryPool extends pg.Pool {
  /** @param setUp a new connection, which is dropped when this throws */
  constructor(
    primary: Primary,
    { connectTimeoutMs, ...config }: PoolConfig,
    setUp: (client: PrimaryClient) => Promise<void>,
  ) {
    super({
      ...config,
      Client: class extends PrimaryClient {
        constructor(given?: ClientConfig) {
          super(primary, connectTimeoutMs ? { ...given, connectionTimeoutMillis: connectTimeoutMs() } : (given ?? {}));
        }
      },
      onConnect: async (connected) => {
        const client = connected as PrimaryClient;
        try {
          await (connectTimeoutMs ? withTimeout(connectTimeoutMs(), setUp(client)) : setUp(client));
        } catch (error) {
          client.drop();
          throw error;
        }
      },
    });
    // Of an idle connection that was lost: the pool has removed it.
    this.on('error', () => undefined);
  }

  override connect(): Promise<PooledClient>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<PooledClient> | void {
    if (!done) {
      return super.connect().then(
        (client) => client as PooledClient,
        (error: unknown) => Promise.reject(connectionError(error)),
      );
    }
    super.connect((error, client, release) => done(error && (connectionError(error) as Error), client, release));
  }
}

/** @param purpose what the pool is for, as a label */
export function poolInstruments(purpose: string, pool: () => pg.Pool): Instrument[] {
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
