import type pg from 'pg';
import type { DatabaseConfig } from '../../../../config/database-config.js';
import type { Instrument } from '../../../telemetry/instrument.js';
import type { PrimaryClient } from './connection.js';
import { storeError, unavailable } from './errors.js';
import { type PooledClient, poolInstruments, PrimaryPool } from './pool.js';
import type { Primary } from './primary.js';
import { endAbandonedWaits } from './standby.js';
import { withTimeout } from './timeout.js';

const RECONNECT_PAUSE_MS = 50;
const CONNECT_TIMEOUT_MS = 2000;
/** A start can wait: on a machine where everything starts at once, even a good PostgreSQL takes its time. */
const START_TIMEOUT_MS = 10_000;

/** A statement of a reserved connection: prepared under its name, parsed once a session. */
export type Statement = Pick<pg.QueryConfig, 'name' | 'text'>;

/** Without the name where each transaction may get another session, which may not know a statement by its name. */
export function statement({ pooling }: DatabaseConfig, name: string, text: string): Statement {
  return pooling === 'session' ? { name, text } : { text };
}

/**
 * A pool for one purpose, with as many connections as it has calls in flight, so that none waits for another's. To pg.Pool it
 * adds that a call has DATABASE_PATIENCE_MS for its statements and the connection that it may need first, and fails at once
 * while PostgreSQL is away.
 */
export class ReservedConnections {
  private readonly pool: PrimaryPool;
  private readonly name: string;
  private readonly timeoutMs: number;
  private connectTimeoutMs: number;
  private lastFailureAt = -Infinity;
  private lastFailure: unknown;
  /** Whether a statement was given up, which PostgreSQL may still be working on. */
  private hasAbandoned = false;

  constructor(
    primary: Primary,
    private readonly purpose: string,
    private readonly maxConnections: number,
  ) {
    this.timeoutMs = primary.config.patienceMs;
    this.connectTimeoutMs = Math.max(CONNECT_TIMEOUT_MS, this.timeoutMs);
    this.name = `latchkey ${purpose}`;
    const config = {
      max: maxConnections,
      application_name: this.name,
      keepAlive: true,
      idleTimeoutMillis: 0,
      connectTimeoutMs: () => this.connectTimeoutMs,
    };
    this.pool = new PrimaryPool(primary, config, (client) => this.setUp(client));
  }

  instruments(): Instrument[] {
    return poolInstruments(this.purpose, () => this.pool);
  }

  /** Runs one or several statements on one connection, which is not kept when `work` throws or is late. */
  async run<T>(work: (client: PrimaryClient) => Promise<T>): Promise<T> {
    for (let stale = 0; ; stale += 1) {
      try {
        return await this.attempt(work);
      } catch (error) {
        // A migration has changed a table since the statement was prepared. A new connection prepares it again.
        if (!isStalePlan(error) || stale === this.maxConnections) throw error;
      }
    }
  }

  /** Opens the connections ahead of the first call. */
  async open(): Promise<void> {
    const { connectTimeoutMs } = this;
    this.connectTimeoutMs = START_TIMEOUT_MS;
    const opened = await Promise.allSettled(Array.from({ length: this.maxConnections }, () => this.pool.connect()));
    this.connectTimeoutMs = connectTimeoutMs;
    for (const each of opened) if (each.status === 'fulfilled') each.value.release();
    for (const each of opened) if (each.status === 'rejected') throw storeError(each.reason);
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private async attempt<T>(work: (client: PrimaryClient) => Promise<T>): Promise<T> {
    let client: PooledClient | undefined;
    let isLate = false;
    const working = this.take().then((taken) => {
      client = taken;
      return isLate ? undefined : work(taken);
    });
    try {
      const answer = await withTimeout(this.timeoutMs, working);
      client!.release(client!.isDropped);
      return answer as T;
    } catch (error) {
      isLate = true;
      if (client) this.giveUp(client);
      // One that comes too late for its call serves the next.
      else working.then(() => client!.release()).catch(() => undefined);
      throw error;
    }
  }

  private giveUp(client: PooledClient): void {
    this.hasAbandoned = true;
    client.drop();
    client.release(true);
  }

  /** A pool alone would connect again for each call, or let it wait for a connection that is still being opened. */
  private async take(): Promise<PooledClient> {
    if (this.pool.idleCount === 0) {
      if (performance.now() - this.lastFailureAt < RECONNECT_PAUSE_MS) throw this.lastFailure;
      if (this.pool.totalCount >= this.maxConnections) throw unavailable(new Error('no connection is open yet'));
    }
    try {
      return await this.pool.connect();
    } catch (error) {
      this.lastFailureAt = performance.now();
      this.lastFailure = error;
      throw error;
    }
  }

  private async setUp(client: PrimaryClient): Promise<void> {
    await client.setUp();
    if (!this.hasAbandoned) return;
    this.hasAbandoned = false;
    // Where the role may not end its own sessions, they stay.
    await endAbandonedWaits(client, this.name, this.timeoutMs).catch(() => undefined);
  }
}

/** PostgreSQL's "cached plan must not change result type", which it reports before anything is done. */
function isStalePlan(error: unknown): boolean {
  return (error as { code?: unknown }).code === '0A000';
}
