import type pg from 'pg';
import type { DatabaseConfig } from '#config/database-config.js';
import type { Instrument } from '#infrastructure/telemetry/instrument.js';
import type { PrimaryClient } from './connection.js';
import { LatchkeyError } from '#domain/errors.js';
import { storeError, unavailable } from './errors.js';
import { type PooledClient, poolInstruments, PrimaryPool } from './pool.js';
import type { Primary } from './primary.js';
import { endAbandonedWaits } from './standby.js';
import { withTimeout } from '../../batching/timeout.js';

const RECONNECT_PAUSE_MS = 50;
const CONNECT_TIMEOUT_MS = 2000;
/** Startup can wait longer: when everything on a machine starts at once, even a healthy PostgreSQL takes its time. */
const START_TIMEOUT_MS = 10_000;
/** Load balancers and firewalls forget a connection without traffic. Its first answer has this long after such a pause. */
const FORGOTTEN_AFTER_MS = 20_000;
const FIRST_ANSWER_MS = 40;

/** A statement of a reserved connection: prepared under its name, so parsed once for each session. */
export type Statement = Pick<pg.QueryConfig, 'name' | 'text'>;

/** Leaves out the name in transaction pooling, where the next session may not know a statement by that name. */
export function statement({ pooling }: DatabaseConfig, name: string, text: string): Statement {
  return pooling === 'session' ? { name, text } : { text };
}

/**
 * A pool for one purpose, with as many connections as it has calls in flight. A call has DATABASE_PATIENCE_MS in all,
 * for connecting and for its statements, and it fails at once while PostgreSQL is unavailable.
 */
export class ReservedConnections {
  private readonly pool: PrimaryPool;
  private readonly name: string;
  private readonly timeoutMs: number;
  private connectTimeoutMs: number;
  private lastFailureAt = -Infinity;
  private lastFailure: unknown;
  /** Whether a statement timed out that PostgreSQL may still be working on. */
  private hasAbandoned = false;

  constructor(
    primary: Primary,
    private readonly purpose: string,
    private readonly maxConnections: number,
    /** Whether work may run twice: then it does where a connection may have been forgotten on the way. */
    private readonly isRepeatable = false,
  ) {
    this.timeoutMs = primary.config.timeoutMs;
    this.connectTimeoutMs = Math.max(CONNECT_TIMEOUT_MS, this.timeoutMs);
    this.name = `latchkey ${purpose}`;
    const config = {
      max: maxConnections,
      application_name: this.name,
      idleTimeoutMillis: 0,
      connectTimeoutMs: () => this.connectTimeoutMs,
    };
    this.pool = new PrimaryPool(primary, config, (client) => this.setUp(client));
  }

  instruments(): Instrument[] {
    return poolInstruments(this.purpose, () => this.pool);
  }

  /** Runs one or more statements on one connection. The connection is dropped when `work` throws or times out. */
  async run<T>(work: (client: PrimaryClient) => Promise<T>): Promise<T> {
    for (let stale = 0; ; stale += 1) {
      try {
        return await this.attempt(work);
      } catch (error) {
        // "cached plan must not change result type": a migration has changed a table. A new connection prepares it.
        const isStalePlan = (error as { code?: unknown }).code === '0A000';
        if (!isStalePlan || stale === this.maxConnections) throw error;
      }
    }
  }

  /** Opens the connections before the first call. */
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
    const workOn = (taken: PooledClient) => {
      client = taken;
      return isLate ? Promise.resolve(undefined) : work(taken);
    };
    const working = this.take().then(async (taken) => {
      if (!this.mayBeForgotten(taken)) return workOn(taken);
      try {
        return await withTimeout(FIRST_ANSWER_MS, workOn(taken));
      } catch (error) {
        if (isLate || !(error instanceof LatchkeyError)) throw error;
      }
      client = undefined;
      this.giveUp(taken);
      return workOn(await this.takeFresh());
    });
    try {
      const answer = await withTimeout(this.timeoutMs, working);
      client!.release(client!.isDropped);
      return answer as T;
    } catch (error) {
      isLate = true;
      if (client) this.giveUp(client);
      // The connection came too late for this call, so the next call gets it.
      else working.then(() => client!.release()).catch(() => undefined);
      throw error;
    }
  }

  private mayBeForgotten({ answeredAt }: PrimaryClient): boolean {
    return this.isRepeatable && performance.now() - answeredAt >= FORGOTTEN_AFTER_MS;
  }

  private async takeFresh(): Promise<PooledClient> {
    const client = await this.take();
    if (!this.mayBeForgotten(client)) return client;
    client.drop();
    client.release(true);
    return this.takeFresh();
  }

  private giveUp(client: PooledClient): void {
    this.hasAbandoned = true;
    client.drop();
    client.release(true);
  }

  /** Without this, each call would connect again, or wait for a connection that is still opening. */
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
    // If the role may not end its own sessions, they stay.
    await endAbandonedWaits(client, this.name, this.timeoutMs).catch(() => undefined);
  }
}
