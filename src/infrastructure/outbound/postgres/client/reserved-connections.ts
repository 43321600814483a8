import type { DatabaseConfig } from '#config/database-config.js';
import type { Instrument } from '#infrastructure/telemetry/instrument.js';
import { PrimaryClient } from './connection.js';
import { LatchkeyError } from '#domain/errors.js';
import { connectionError, storeError, unavailable } from './errors.js';
import { END_TIMEOUT_MS, poolInstruments } from './pool.js';
import type { Primary } from './primary.js';
import { endAbandonedWaits } from './standby.js';
import type { Statement } from './text-read.js';
import { withTimeout } from '../../batching/timeout.js';

const RECONNECT_PAUSE_MS = 50;
const CONNECT_TIMEOUT_MS = 2000;
/** Startup can wait longer: when everything on a machine starts at once, even a healthy PostgreSQL takes its time. */
const START_TIMEOUT_MS = 10_000;
/** Load balancers and firewalls forget a connection without traffic. Its first answer has this long after such a pause. */
const FORGOTTEN_AFTER_MS = 20_000;
const FIRST_ANSWER_MS = 40;

/** Leaves out the name in transaction pooling, where the next session may not know a statement by that name. */
export function statement({ pooling }: DatabaseConfig, name: string, text: string): Statement {
  return pooling === 'session' ? { name, text } : { text };
}

/**
 * As many connections for one purpose as it has calls in flight. A call has DATABASE_PATIENCE_MS in all, for connecting
 * and for its statements, and it fails at once while PostgreSQL is unavailable. Not a pg.Pool: its queue,
 * which no call needs here, took one percent of a validation.
 */
export class ReservedConnections {
  /** Those that connect, work or are idle. */
  private readonly clients = new Set<PrimaryClient>();
  private readonly idle: PrimaryClient[] = [];
  private isClosed = false;
  private readonly timeoutMs: number;
  private lastFailureAt = -Infinity;
  private lastFailure: unknown;
  /** Whether a statement timed out that PostgreSQL may still be working on. */
  private hasAbandoned = false;

  constructor(
    private readonly primary: Primary,
    private readonly purpose: string,
    private readonly maxConnections: number,
    /** Whether work may run twice: then it does where a connection may have been forgotten on the way. */
    private readonly isRepeatable = false,
  ) {
    this.timeoutMs = primary.config.timeoutMs;
  }

  instruments(): Instrument[] {
    const { clients, idle, maxConnections: max } = this;
    return poolInstruments(this.purpose, () => ({
      totalCount: clients.size,
      idleCount: idle.length,
      waitingCount: 0,
      options: { max },
    }));
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
    const connecting = Array.from({ length: this.maxConnections }, () => this.newClient(START_TIMEOUT_MS));
    const opened = await Promise.allSettled(connecting);
    for (const each of opened) if (each.status === 'fulfilled') this.release(each.value);
    for (const each of opened) if (each.status === 'rejected') throw storeError(each.reason);
  }

  /** Statements under way get a second. */
  async close(): Promise<void> {
    this.isClosed = true;
    const ended = [...this.clients].map((client) => new Promise((resolve) => client.once('end', resolve)));
    for (const client of this.idle.splice(0)) void client.end();
    setTimeout(() => this.clients.forEach((client) => client.drop()), END_TIMEOUT_MS).unref();
    await Promise.all(ended);
  }

  private async attempt<T>(work: (client: PrimaryClient) => Promise<T>): Promise<T> {
    let client: PrimaryClient | undefined;
    let isLate = false;
    const workOn = (taken: PrimaryClient) => {
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
      this.release(client!);
      return answer as T;
    } catch (error) {
      isLate = true;
      if (client) this.giveUp(client);
      // The connection came too late for this call, so the next call gets it.
      else working.then(() => this.release(client!)).catch(() => undefined);
      throw error;
    }
  }

  private mayBeForgotten({ answeredAt }: PrimaryClient): boolean {
    return this.isRepeatable && performance.now() - answeredAt >= FORGOTTEN_AFTER_MS;
  }

  private async takeFresh(): Promise<PrimaryClient> {
    const client = await this.take();
    if (!this.mayBeForgotten(client)) return client;
    this.forget(client);
    return this.takeFresh();
  }

  private giveUp(client: PrimaryClient): void {
    this.hasAbandoned = true;
    this.forget(client);
  }

  private release(client: PrimaryClient): void {
    if (client.isDropped) this.forget(client);
    else if (this.isClosed) void client.end();
    else if (this.clients.has(client)) this.idle.push(client);
  }

  /** Makes room for a new connection at once, not when the end of this one is reported. */
  private forget(client: PrimaryClient): void {
    client.drop();
    this.clients.delete(client);
    const place = this.idle.indexOf(client);
    if (place >= 0) this.idle.splice(place, 1);
  }

  /** Without the pause, each call would connect again. */
  private async take(): Promise<PrimaryClient> {
    const idle = this.idle.pop();
    if (idle) return idle;
    if (performance.now() - this.lastFailureAt < RECONNECT_PAUSE_MS) throw this.lastFailure;
    if (this.isClosed || this.clients.size >= this.maxConnections)
      throw unavailable(new Error('no connection is open'));
    try {
      return await this.newClient(Math.max(CONNECT_TIMEOUT_MS, this.timeoutMs));
    } catch (error) {
      this.lastFailureAt = performance.now();
      this.lastFailure = error;
      throw error;
    }
  }

  private async newClient(timeoutMs: number): Promise<PrimaryClient> {
    const name = `latchkey ${this.purpose}`;
    const client = new PrimaryClient(this.primary, { application_name: name, connectionTimeoutMillis: timeoutMs });
    this.clients.add(client.once('end', () => this.forget(client)));
    try {
      await client.connect();
      await withTimeout(timeoutMs, this.setUp(client, name));
      return client;
    } catch (error) {
      this.forget(client);
      throw connectionError(error);
    }
  }

  private async setUp(client: PrimaryClient, name: string): Promise<void> {
    await client.setUp();
    if (!this.hasAbandoned) return;
    this.hasAbandoned = false;
    // If the role may not end its own sessions, they stay.
    await endAbandonedWaits(client, name, this.timeoutMs).catch(() => undefined);
  }
}
